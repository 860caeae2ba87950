// Boost.Geometry's packed R-tree on the boxes and places of one world; see CirclePeers.swift.
//
//   boost_circles WORLD CHURN ROUNDS
//
// WORLD: three counts (boxes, devices, walk; 32 bits), then the boxes as four doubles and the places
// as two. CHURN boxes are removed from the tree and inserted again while it runs. The best of ROUNDS look-ups counts.
#include <boost/geometry.hpp>
#include <boost/geometry/geometries/box.hpp>
#include <boost/geometry/geometries/point.hpp>
#include <boost/geometry/index/rtree.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

namespace geometry = boost::geometry;
namespace index_ = boost::geometry::index;
using Point = geometry::model::point<double, 2, geometry::cs::cartesian>;
using Box = geometry::model::box<Point>;
using Entry = std::pair<Box, std::uint32_t>;

static std::size_t allocated = 0;

template <class T>
struct Counting {
  using value_type = T;
  Counting() = default;
  template <class U>
  Counting(const Counting<U> &) {}
  T *allocate(std::size_t count) {
    allocated += count * sizeof(T);
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T *place, std::size_t count) {
    allocated -= count * sizeof(T);
    std::allocator<T>().deallocate(place, count);
  }
  template <class U>
  bool operator==(const Counting<U> &) const { return true; }
  template <class U>
  bool operator!=(const Counting<U> &) const { return false; }
};

using Tree = index_::rtree<Entry, index_::quadratic<16>, index_::indexable<Entry>,
                           index_::equal_to<Entry>, Counting<Entry>>;
using Clock = std::chrono::steady_clock;

static double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

static void look_up(const char *name, const Tree &tree, const std::vector<Point> &places,
                    int rounds) {
  std::vector<Entry> found;
  double best = 1e9;
  long answers = 0;
  for (int round = 0; round < rounds; round++) {
    answers = 0;
    auto start = Clock::now();
    for (const auto &place : places) {
      found.clear();
      tree.query(index_::intersects(place), std::back_inserter(found));
      answers += long(found.size());
    }
    best = std::min(best, since(start));
  }
  std::printf("%s %.17g\n%s.answers %ld\n", name, best / double(places.size()) * 1e9, name,
              answers);
}

int main(int argc, char **argv) {
  std::FILE *file = argc == 4 ? std::fopen(argv[1], "rb") : nullptr;
  std::uint32_t counts[3];
  if (!file || std::fread(counts, sizeof(counts), 1, file) != 1) return 1;
  auto next = [&] {
    double value = 0;
    if (std::fread(&value, sizeof(value), 1, file) != 1) std::exit(1);
    return value;
  };
  auto point = [&] {
    double x = next(), y = next();
    return Point(x, y);
  };
  std::vector<Entry> entries;
  for (std::uint32_t number = 0; number < counts[0]; number++) {
    Point low = point(), high = point();
    entries.push_back({Box(low, high), number});
  }
  std::vector<Point> devices, walk;
  for (std::uint32_t number = 0; number < counts[1]; number++) devices.push_back(point());
  for (std::uint32_t number = 0; number < counts[2]; number++) walk.push_back(point());

  auto start = Clock::now();
  Tree tree(entries.begin(), entries.end());
  std::printf("build %.17g\n", since(start) / double(counts[0]) * 1e9);
  std::printf("bytes %.17g\n", double(allocated) / double(counts[0]));
  int rounds = std::atoi(argv[3]);
  look_up("devices", tree, devices, rounds);
  look_up("walk", tree, walk, rounds);

  std::size_t churn = std::min<std::size_t>(std::strtoul(argv[2], nullptr, 10), entries.size());
  start = Clock::now();
  for (std::size_t number = 0; number < churn; number++) tree.remove(entries[number]);
  std::printf("removal %.17g\n", since(start) / double(churn) * 1e9);
  start = Clock::now();
  for (std::size_t number = 0; number < churn; number++) tree.insert(entries[number]);
  std::printf("insertion %.17g\n", since(start) / double(churn) * 1e9);
}
