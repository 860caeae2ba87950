# Everything a person does with this project; `make help` lists it.
.DEFAULT_GOAL := help
.PHONY: help run test bench lint check docs places build deb install uninstall clean

PREFIX ?= /usr/local
DESTDIR ?=
export PREFIX DESTDIR

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

run: ## show the main job: a recorded receiver through to an app
	@Scripts/run.sh

test: ## install what is missing, build, run every test
	@Scripts/test.sh

bench: ## measure, each figure also as one line of JSON
	@Scripts/bench.sh

lint: ## check format and lint rules
	@Scripts/lint.sh

check: ## lint, test, and document: what continuous integration runs
	@Scripts/check.sh

docs: ## build the reference documentation into docs/site
	@Scripts/docs.sh

places: ## build the place index (GEONAMES=folder of GeoNames' files, or DATA=folder of tables)
	@Scripts/bootstrap.sh places
	@python3 Scripts/build_place_index.py $(if $(GEONAMES),--geonames "$(GEONAMES)") \
	  $(if $(DATA),--data "$(DATA)")

build: ## build the programs and their completions for installation
	@Scripts/build.sh

deb: ## build Debian packages of what build and places made, into .build/deb
	@Scripts/deb.sh

install: ## install what build and places made (PREFIX, DESTDIR)
	@[ -x "$${BUILT:-.build/static/release}/locationctl" ] || { echo "first: make build" >&2; exit 1; }
	@Scripts/install.sh install

uninstall: ## remove what install put there (PREFIX, DESTDIR)
	@Scripts/install.sh uninstall

clean: ## remove everything that was built
	rm -rf .build Examples/.build docs/site
