// The Python face of the lattice's kernels: arrays in, arrays out, the interpreter's lock released meanwhile.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <memory>

#include "common/arrays.hpp"
#include "common/hearing.hpp"
#include "lattice/class_tables.hpp"
#include "lattice/measure_box.hpp"
#include "lattice/node_sets.hpp"
#include "lattice/read_people.hpp"

using namespace nb::literals;
using namespace shoal;

namespace {

using TableOut = std::pair<Array<std::uint64_t>, Array<std::int64_t>>;    // keys and counts
using Measurement = std::pair<Array<std::int64_t>, Array<std::int64_t>>;  // one row, and its profile

template <int W>
TableOut own_table(Table<W>&& table, std::size_t words = W) {
    const std::size_t groups = table.size(), labels = table.labels;
    return {own_keys<W>(table.keys, words), own(std::move(table.counts), groups, labels)};
}

template <int W>
Table<W> table_of(const Words& keys, const Int64s& counts, const Persons& persons = {}) {
    if (keys.shape(0) != counts.shape(0)) throw std::invalid_argument("keys and counts differ in length");
    if (keys.shape(0) > 0xFFFFFFFEull) throw std::invalid_argument("more than 4,294,967,294 combinations");
    if (counts.shape(1) < 1 || counts.shape(1) > INT32_MAX)
        throw std::invalid_argument("one count a combination is needed");
    sum_of(counts.data(), counts.shape(0) * counts.shape(1));
    Table<W> table;
    table.labels = static_cast<int>(counts.shape(1));
    table.keys = read_keys<W>(keys);
    table.counts.assign(counts.data(), counts.data() + counts.shape(0) * counts.shape(1));
    table.people = read_people(persons, table.size());
    return table;
}

Codebook make_codebook(const std::vector<Int32s>& maps, const std::vector<Int64s>& weights, bool products) {
    std::vector<Attribute> attributes;
    for (std::size_t a = 0; a < maps.size(); ++a) {
        const auto& map = maps[a];  // map(level, leaf) = code
        Attribute attribute;
        const std::size_t leaves = map.shape(1);
        if (map.shape(0) < 1 || map.shape(0) > 128) throw std::invalid_argument("an attribute has 1 to 128 levels");
        for (std::size_t level = 0; level < map.shape(0); ++level) {
            const std::int32_t* codes = map.data() + level * leaves;
            std::int32_t top = -1;
            for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
                if (codes[leaf] < 0) throw std::invalid_argument("codes are not negative");
                if (static_cast<std::size_t>(codes[leaf]) >= leaves)
                    throw std::invalid_argument("more codes than leaves");
                top = std::max(top, codes[leaf]);
            }
            attribute.sizes.push_back(top + 1);
        }
        for (std::size_t level = 0; level + 1 < map.shape(0); ++level) {
            std::vector<std::int32_t> upward(attribute.sizes[level], -1);
            for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
                std::int32_t& parent = upward[map.data()[level * leaves + leaf]];
                const std::int32_t code = map.data()[(level + 1) * leaves + leaf];
                if (parent != -1 && parent != code) throw std::invalid_argument("a code has two parents");
                parent = code;
            }
            for (std::int32_t& parent : upward) parent = std::max(parent, 0);
            attribute.upward.push_back(std::move(upward));
        }
        if (!weights.empty()) {
            const auto& weight = weights.at(a);  // weight(level, leaf)
            if (weight.shape(0) != map.shape(0) || weight.shape(1) != leaves)
                throw std::invalid_argument("weights have another shape than the map");
            for (std::size_t level = 0; level < map.shape(0); ++level) {
                // As many as the bits of a code can name, so that no key reads beyond them.
                std::vector<std::int64_t> by_code(std::size_t{1} << bits_for(attribute.sizes[level]), 0);
                for (std::size_t leaf = 0; leaf < leaves; ++leaf)
                    by_code[map.data()[level * leaves + leaf]] = weight.data()[level * leaves + leaf];
                attribute.weights.push_back(std::move(by_code));
            }
        }
        attributes.push_back(std::move(attribute));
    }
    return Codebook(std::move(attributes), products);
}

Array<std::uint64_t> pack(const Codebook& book, const Int32s& codes) {
    const std::size_t n = codes.shape(0), attributes = book.attributes().size();
    if (codes.shape(1) != attributes) throw std::invalid_argument("one column of codes per attribute is needed");
    return with_words(book.words(), [&](auto words) {
        constexpr int W = decltype(words)::value;
        const Layout layout = book.layout(Levels(attributes, 0));
        std::vector<Key<W>> keys(n);
        {
            nb::gil_scoped_release unlocked;
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t a = 0; a < attributes; ++a) {
                    const std::int32_t code = codes.data()[i * attributes + a];
                    if (code < 0 || code >= book.attributes()[a].sizes[0]) throw std::out_of_range("no such code");
                    if (layout.fields[a].width > 0)
                        keys[i].word[layout.fields[a].word] |= static_cast<std::uint64_t>(code)
                                                               << layout.fields[a].shift;
                }
        }
        return own_keys<W>(keys);
    });
}

Array<std::int32_t> unpack(const Codebook& book, const Words& keys, const Levels& levels) {
    book.check(levels);
    if (static_cast<int>(keys.shape(1)) != book.words())
        throw std::invalid_argument("keys have another number of words");
    const std::size_t n = keys.shape(0), attributes = levels.size();
    const Layout layout = book.layout(levels);
    std::vector<std::int32_t> codes(n * attributes);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t a = 0; a < attributes; ++a) {
            const Field f = layout.fields[a];
            codes[i * attributes + a] = static_cast<std::int32_t>(f.code(keys.data() + i * keys.shape(1)));
        }
    return own(std::move(codes), n, attributes);
}

TableOut aggregate(const Words& keys, const Int64s& counts) {
    return with_words(static_cast<int>(keys.shape(1)), [&](auto words) {
        constexpr int W = decltype(words)::value;
        const Table<W> table = table_of<W>(keys, counts);
        Table<W> out;
        {
            nb::gil_scoped_release unlocked;
            Grouper<W>().group(table.keys.data(), table.counts.data(), table.size(), table.labels, 64, out);
        }
        return own_table<W>(std::move(out), keys.shape(1));
    });
}

TableOut roll_up(const Codebook& book, const Words& keys, const Int64s& counts, const Levels& source,
                 const Levels& target) {
    book.check(source);
    book.check(target);
    for (std::size_t a = 0; a < source.size(); ++a)
        if (target[a] < source[a]) throw std::invalid_argument("a roll-up only goes up");
    return with_words(book.words(), [&](auto words) {
        constexpr int W = decltype(words)::value;
        const Table<W> table = table_of<W>(keys, counts);
        Table<W> out;
        {
            nb::gil_scoped_release unlocked;
            static thread_local Grouper<W> grouper;
            grouper.roll_up(table, book.transform(source, target), out);
        }
        return own_table<W>(std::move(out));
    });
}

// The measurement and its profile as arrays.
Measurement own_measurement(std::vector<std::int64_t>&& row, std::vector<std::int64_t>&& profile) {
    const std::size_t columns = row.size(), profile_columns = columns - kRows + 1;
    const std::size_t sizes = profile.size() / profile_columns;
    return {own(std::move(row), 1, columns), own(std::move(profile), sizes, profile_columns)};
}

Measurement measure(const Codebook& book, const Words& keys, const Int64s& counts, const Levels& levels,
                    std::int64_t eta) {
    book.check(levels);
    return with_words(book.words(), [&](auto words) {
        constexpr int W = decltype(words)::value;
        const Table<W> table = table_of<W>(keys, counts);
        std::vector<std::int64_t> row(kWeights + levels.size()), profile;
        {
            nb::gil_scoped_release unlocked;
            Measurer<W>().measure(book, table, levels, eta, row.data(), profile);
        }
        return own_measurement(std::move(row), std::move(profile));
    });
}

Array<std::int64_t> measure_box_py(const Codebook& book, const Words& keys, const Int64s& counts, const Levels& levels,
                                   const Levels& lo, const Levels& hi, const std::vector<int>& order, std::int64_t eta,
                                   int threads, const Persons& persons) {
    for (const Levels* given : {&levels, &lo, &hi}) book.check(*given);
    std::vector<int> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.size() != lo.size()) throw std::invalid_argument("the order names every attribute once");
    for (std::size_t a = 0; a < lo.size(); ++a)
        if (sorted[a] != static_cast<int>(a)) throw std::invalid_argument("the order names every attribute once");
    const std::size_t nodes = nodes_of(levels, lo, hi);
    return with_words(book.words(), [&](auto words) {
        constexpr int W = decltype(words)::value;
        const Table<W> table = table_of<W>(keys, counts, persons);
        const std::size_t columns = kWeights + lo.size();
        std::vector<std::int64_t> out(nodes * columns);
        {
            nb::gil_scoped_release unlocked;
            measure_box<W>(book, table, levels, lo, hi, order, eta, few_threads(threads), out.data());
        }
        return own(std::move(out), nodes, columns);
    });
}

// ClassTables for keys of any number of words.
class AnyClassTables {
  public:
    AnyClassTables(const Codebook& book, const Words& keys, const Int64s& counts, const Levels& levels,
                   std::int64_t eta, std::size_t budget, const Persons& persons)
        : book_(book) {
        book.check(levels);
        with_words(book.words(), [&](auto words) {
            constexpr int W = decltype(words)::value;
            auto tables =
                std::make_shared<ClassTables<W>>(book, table_of<W>(keys, counts, persons), levels, eta, budget);
            measure_ = [tables](const Levels& asked, std::vector<std::int64_t>& row,
                                std::vector<std::int64_t>& profile) { return tables->measure(asked, row, profile); };
            below_ = [tables](const std::vector<Levels>& nodes, std::int64_t k, int threads,
                              const std::function<bool()>& over, std::vector<std::int64_t>& out) {
                return tables->measure_below(nodes, k, threads, over, out);
            };
            many_ = [tables](const std::vector<Levels>& nodes, int threads, const std::function<bool()>& over,
                             std::vector<std::int64_t>& out, std::vector<std::vector<std::int64_t>>& profiles) {
                return tables->measure_many(nodes, threads, over, out, profiles);
            };
            bytes_ = [tables] { return tables->bytes(); };
        });
    }

    Measurement measure(const Levels& levels) {
        book_.check(levels);
        std::vector<std::int64_t> row, profile;
        bool below;
        {
            nb::gil_scoped_release unlocked;
            below = measure_(levels, row, profile);
        }
        if (!below) throw std::invalid_argument("the node is not above the bottom table");
        return own_measurement(std::move(row), std::move(profile));
    }

    Array<std::int64_t> measure_below(const Int32s& given, std::int64_t k, int threads, double seconds) {
        const std::vector<Levels> nodes = nodes_in(given);
        std::vector<std::int64_t> out;
        std::size_t done;
        {
            nb::gil_scoped_release unlocked;
            done = below_(nodes, k, few_threads(threads), ending(seconds), out);
        }
        const std::size_t columns = kWeights + book_.attributes().size();
        out.resize(done * columns);
        return own(std::move(out), done, columns);
    }

    std::vector<Measurement> measure_many(const Int32s& given, int threads, double seconds) {
        const std::vector<Levels> nodes = nodes_in(given);
        std::vector<std::int64_t> out;
        std::vector<std::vector<std::int64_t>> profiles;
        std::size_t done;
        {
            nb::gil_scoped_release unlocked;
            done = many_(nodes, few_threads(threads), ending(seconds), out, profiles);
        }
        const auto columns = static_cast<std::ptrdiff_t>(kWeights + book_.attributes().size());
        std::vector<Measurement> found;
        for (std::size_t i = 0; i < done; ++i) {
            const auto row = out.begin() + static_cast<std::ptrdiff_t>(i) * columns;
            found.push_back(own_measurement({row, row + columns}, std::move(profiles[i])));
        }
        return found;
    }

    std::size_t bytes() const { return bytes_(); }

  private:
    std::vector<Levels> nodes_in(const Int32s& given) const {
        std::vector<Levels> nodes;
        for (std::size_t i = 0; i < given.shape(0); ++i) {
            const std::int32_t* row = given.data() + i * given.shape(1);
            nodes.emplace_back(row, row + given.shape(1));
            book_.check(nodes.back());
        }
        return nodes;
    }

    const Codebook& book_;
    std::function<std::size_t(const std::vector<Levels>&, std::int64_t, int, const std::function<bool()>&,
                              std::vector<std::int64_t>&)>
        below_;
    std::function<std::size_t(const std::vector<Levels>&, int, const std::function<bool()>&, std::vector<std::int64_t>&,
                              std::vector<std::vector<std::int64_t>>&)>
        many_;
    std::function<bool(const Levels&, std::vector<std::int64_t>&, std::vector<std::int64_t>&)> measure_;
    std::function<std::size_t()> bytes_;
};

}  // namespace

void bind_lattice(nb::module_& m) {
    nb::class_<Codebook>(m, "Codebook")
        .def(
            "__init__",
            [](Codebook* self, const std::vector<Int32s>& maps, const std::vector<Int64s>& weights, bool products) {
                new (self) Codebook(make_codebook(maps, weights, products));
            },
            "maps"_a, "weights"_a = std::vector<Int64s>(), "products"_a = false)
        .def_prop_ro("words", &Codebook::words)
        .def("pack", &pack, "codes"_a)
        .def("unpack", &unpack, "keys"_a, "levels"_a)
        .def("roll_up", &roll_up, "keys"_a, "counts"_a, "source"_a, "target"_a)
        .def("measure", &measure, "keys"_a, "counts"_a, "levels"_a, "eta"_a)
        .def("measure_box", &measure_box_py, "keys"_a, "counts"_a, "levels"_a, "lo"_a, "hi"_a, "order"_a, "eta"_a,
             "threads"_a, "persons"_a = nb::none());
    nb::class_<AnyClassTables>(m, "ClassTables")
        .def(nb::init<const Codebook&, const Words&, const Int64s&, const Levels&, std::int64_t, std::size_t,
                      const Persons&>(),
             nb::keep_alive<1, 2>(), "book"_a, "keys"_a, "counts"_a, "levels"_a, "eta"_a, "budget"_a,
             "persons"_a = nb::none())
        .def("measure", &AnyClassTables::measure, "levels"_a)
        .def("measure_below", &AnyClassTables::measure_below, "nodes"_a, "k"_a, "threads"_a, "seconds"_a)
        .def("measure_many", &AnyClassTables::measure_many, "nodes"_a, "threads"_a, "seconds"_a)
        .def_prop_ro("bytes", &AnyClassTables::bytes);
    nb::class_<NodeSet>(m, "NodeSet")
        .def(nb::init<std::size_t>(), "attributes"_a)
        .def("__len__", &NodeSet::size)
        .def("add", &NodeSet::add, "node"_a)
        .def("above", &NodeSet::above, "node"_a)
        .def("below", &NodeSet::below, "node"_a)
        .def(
            "any_below",
            [](const NodeSet& self, const Levels& node, const Marks& marks) {
                return self.any_below(node, marks.data(), marks.shape(0));
            },
            "node"_a, "marks"_a);
    nb::class_<UpSet>(m, "UpSet")
        .def(nb::init<const Levels&, const Levels&>(), "bottom"_a, "top"_a)
        .def("__len__", &UpSet::size)
        .def("take", &UpSet::take, "cover"_a);
    m.def("aggregate", &aggregate, "keys"_a, "counts"_a);
}
