// The Python face of the search over cuts.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "common/arrays.hpp"
#include "common/checked_sum.hpp"
#include "common/given_persons.hpp"
#include "common/hearing.hpp"
#include "cuts/descents.hpp"
#include "cuts/search.hpp"

using namespace nb::literals;
using namespace shoal;

namespace {

using Int64Row = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Int32Row = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Cells = std::vector<std::tuple<Int64Row, Int32Row, Int64Row>>;  // combinations, slots, rows to count there
// What a person weighs in the cells of values, and for every combination, person and value of a listed person how many
// rows there are and what the cells count for them.
using GivenWeights = std::optional<std::tuple<std::int64_t, Int32s>>;
using Found = std::tuple<std::int64_t, std::vector<int>>;

// Everything about a question that does not change while it is answered.
struct CutQuestion {
    Trees trees;
    Rules rules;
    Combinations<std::int32_t> data;

    CutQuestion(Trees given, Rules told, const Int32s& leaves, const Int64Row& rows, const Cells& cells,
                const GivenPersons& persons, const GivenWeights& weights)
        : trees(std::move(given)), rules(std::move(told)) {
        const std::size_t n = leaves.shape(0), attributes = leaves.shape(1);
        if (attributes > 64) throw std::invalid_argument("more than 64 attributes");
        if (static_cast<int>(attributes) != trees.attributes())
            throw std::invalid_argument("one leaf an attribute is needed");
        if (rows.shape(0) != n) throw std::invalid_argument("rows and leaves differ in length");
        data.leaves.assign(leaves.data(), leaves.data() + n * attributes);
        for (std::size_t i = 0; i < n * attributes; ++i) {
            const std::int32_t leaf = data.leaves[i];
            if (leaf < 0 || leaf >= static_cast<int>(trees.size()) ||
                trees.attribute[leaf] != static_cast<int>(i % attributes) || !trees.leaf(leaf))
                throw std::out_of_range("no such leaf");
        }
        rules.rows = sum_of(rows.data(), n, INT32_MAX);
        // Where no row may be deleted, nothing is suppressed; and no cut loses more than all rows and values.
        if (rules.deletes() && rules.most_lost == 0) rules.scheme = Scheme::NoSupp;
        if (rules.scheme == Scheme::NoSupp || rules.most_lost >= rules.rows * std::max(1, rules.columns))
            rules.most_lost = kNever;
        data.rows.assign(rows.data(), rows.data() + n);
        data.persons = read_persons(persons, rows.data(), n);
        if (data.persons.counted()) rules.numbers = data.persons.numbers;
        if (weights) read_weights(std::get<0>(*weights), std::get<1>(*weights));
        check_values(rules);
        data.histograms = Histograms<std::int32_t>(padded(rules.width()));
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < n; ++i) bytes += data.histograms.bytes(data.bulk(i));
        if (rules.size_part == SizePart::Table && static_cast<std::int64_t>(rules.size_table.size()) <= rules.rows)
            throw std::invalid_argument("the table of sizes is too short");
        if (rules.class_part == ClassPart::Table && static_cast<std::int64_t>(rules.class_table.size()) <= rules.rows)
            throw std::invalid_argument("the table of labels is too short");
        check_costs(rules);
        data.histograms.reserve(Groups<std::int32_t>::kRoom * bytes);
        data.places.reserve(n);
        for (std::size_t i = 0; i < n; ++i) data.places.push_back(data.histograms.add(data.bulk(i)));
        for (const auto& [at, slots, counts] : cells) {
            if (slots.shape(0) != at.shape(0) || counts.shape(0) != at.shape(0))
                throw std::invalid_argument("the columns of cells differ in length");
            for (std::size_t c = 0; c < at.shape(0); ++c) {
                const std::int64_t i = at.data()[c], count = counts.data()[c];
                const std::int32_t slot = slots.data()[c];
                if (i < 0 || i >= static_cast<std::int64_t>(n) || slot < 0 || slot >= rules.width())
                    throw std::out_of_range("a cell lies outside");
                const std::int64_t before = data.histograms.count(data.places[i], slot);
                if (count < 0 || count > data.bulk(i) - before)
                    throw std::out_of_range("a cell counts more rows than there are");
                data.histograms.set(data.places[i], slot, static_cast<std::int32_t>(before + count));
            }
        }
        check_counts();
    }

    // The combinations, unless a search has taken them over.
    const Combinations<std::int32_t>& combinations() const {
        if (data.rows.empty()) throw std::logic_error("a search has taken the combinations of this question over");
        return data;
    }

    // Takes what persons weigh, and the rows of listed ones: of those, and of no others, pairs are given.
    void read_weights(std::int64_t scale, const Int32s& given) {
        if (!data.persons.counted() || rules.scheme == Scheme::VioRec)
            throw std::invalid_argument("weights go with persons, and not with vioRec");
        if (given.shape(1) != 5) throw std::invalid_argument("rows of a listed person are five numbers");
        if (scale < 1 || scale > INT32_MAX) throw std::out_of_range("no such weight");
        rules.weighed = true;
        rules.scale = data.scale = scale;
        Sum all(INT32_MAX);
        for (std::size_t c = 0; c < data.rows.size(); ++c) all.add(data.persons.in(c), scale);
        if (!all.fits()) throw std::out_of_range("persons weigh more than 2,147,483,647");
        data.listed.first.assign(data.rows.size() + 1, 0);
        std::vector<std::int64_t> totals(data.persons.numbers, 0);
        for (std::size_t i = 0; i < given.shape(0); ++i) {
            const std::int32_t* row = given.data() + 5 * i;
            if (row[0] < 0 || static_cast<std::size_t>(row[0]) >= data.rows.size() || row[1] < 0 ||
                row[1] >= data.persons.numbers || row[2] < 0 || row[2] >= rules.values() || row[3] < 1 ||
                row[3] > data.rows[row[0]] || row[4] < 0)
                throw std::out_of_range("no such rows of a listed person");
            if (i > 0 && row[0] < row[-5]) throw std::invalid_argument("rows of listed persons ascend");
            ++data.listed.first[row[0] + 1];
            data.listed.rows.push_back({row[1], row[2], row[3], row[4]});
            if (rules.limits[row[2]].column == 0) totals[row[1]] += row[3];
        }
        for (std::size_t c = 0; c < data.rows.size(); ++c) data.listed.first[c + 1] += data.listed.first[c];
        for (const std::int64_t total : totals) {
            if (total > INT32_MAX) throw std::out_of_range("a person has too many rows");
            rules.most_rows = std::max(rules.most_rows, static_cast<std::int32_t>(total));
        }
    }

    // What persons weigh in groups does not add up where one has rows in several, and neither do their distinct values: both
    // are told by their weights.
    static void check_values(const Rules& rules) {
        if (rules.by_persons() && !rules.weighed && (rules.values() > 0 || rules.distinct > 0))
            throw std::invalid_argument("values of persons are limited by their weights");
    }

    // Refuses more values of a column than rows, more labels, pairs or tuples: sums of counts are numbers of 32 bits.
    void check_counts() const {
        std::vector<int> part;  // of every slot
        for (const Limit& limit : rules.limits) part.push_back(limit.column);
        int parts = rules.columns;
        for (const int slots : {rules.labels, rules.joint ? rules.values() * rules.labels : 0, rules.together()})
            part.insert(part.end(), slots, parts++);
        if (rules.counts_rows())  // column by column again, behind all others
            for (const Limit& limit : rules.limits) part.push_back(parts + limit.column);
        const int by_weight = rules.weighed ? rules.columns : 0;
        std::vector<std::int64_t> sums(parts + rules.columns);
        std::vector<std::int32_t> room;
        for (std::size_t i = 0; i < data.size(); ++i) {
            std::fill(sums.begin(), sums.end(), 0);
            const std::int32_t* counts = data.histograms.read(data.places[i], room);
            for (std::size_t slot = 0; slot < part.size(); ++slot) sums[part[slot]] += counts[slot];
            for (int p = 0; p < parts + rules.columns; ++p)
                if (sums[p] > (p < by_weight ? rules.scale * data.persons.in(i) : data.rows[i]))
                    throw std::out_of_range("a combination has more values than rows");
            check_listed(i, counts);
        }
    }

    // Refuses a histogram that counts less for listed persons than it is said to, and rows of them that are not the same
    // in all columns.
    void check_listed(std::size_t c, const std::int32_t* counts) const {
        if (!rules.weighed) return;
        std::map<std::int32_t, std::vector<std::int64_t>> rows;
        std::map<std::int32_t, std::int64_t> parts;
        for (const ListedRows* one = data.listed.begin(c); one != data.listed.end(c); ++one) {
            auto& own = rows[one->person];
            own.resize(rules.columns, 0);
            own[rules.limits[one->slot].column] += one->rows;
            parts[one->slot] += one->part;
        }
        for (const auto& [slot, part] : parts)
            if (part > counts[slot]) throw std::out_of_range("a cell counts less than listed persons weigh");
        for (const auto& [person, own] : rows)
            for (const std::int64_t each : own)
                if (each != own[0] || each > data.rows[c])
                    throw std::out_of_range("a listed person's rows differ from column to column");
    }

    // Refuses costs that would not add up in 64 bits over all rows: Python's are below as well, by a closer account.
    // Whatever the groups are, their costs by a table add up to at most the rows times the dearest cost a row, and what
    // the groups without rows cost.
    void check_costs(const Rules& rules) const {
        const std::int64_t all = std::max<std::int64_t>(rules.rows, 1),
                           groups = static_cast<std::int64_t>(data.rows.size());
        Sum row(kMostRows), table(kMostRows);
        row.add(rules.record_cost);
        row.add(rules.value_cost, rules.columns);
        std::vector<std::int64_t> heaviest(trees.attributes(), 0);
        for (std::size_t v = 0; v < trees.size(); ++v) {
            if (trees.weight[v] < 0) throw std::invalid_argument("a weight is negative");
            heaviest[trees.attribute[v]] = std::max(heaviest[trees.attribute[v]], trees.weight[v]);
        }
        for (const std::int64_t weight : heaviest) row.add(weight);
        if (rules.size_part == SizePart::Square) row.add(rules.unit, all);
        if (rules.class_part == ClassPart::Minority) row.add(rules.unit);
        if (rules.size_part == SizePart::Table) add_table(row, table, rules.size_table, groups);
        if (rules.class_part == ClassPart::Table) {
            Sum labels(kMostRows);
            labels.add(groups, rules.labels);
            add_table(row, table, rules.class_table, labels.value());
        }
        table.add(row.value(), all);
        if (!table.fits()) throw std::invalid_argument("the costs of all rows are too large to be added up");
    }

    // What the dearest of the costs in a table costs a row; these may be negative, as those of entropy are.
    void add_table(Sum& row, Sum& rest, const std::vector<std::int64_t>& table, std::int64_t empty) const {
        std::int64_t dearest = 0;
        for (std::int64_t n = 0; n <= rules.rows; ++n) {
            if (table[n] < -kNever || table[n] > kNever)
                throw std::invalid_argument("a table of costs has no such cost");
            if (n > 0) dearest = std::max(dearest, (std::abs(table[n]) + n - 1) / n);
        }
        row.add(dearest);
        rest.add(std::abs(table[0]), empty);
    }

    // The rules with what is lost made dearer, where it is limited.
    Rules raised(std::int64_t premium) const {
        if (premium < 0 || premium > kNever || (premium > 0 && !rules.limited()))
            throw std::invalid_argument("no such premium");
        Rules dearer = rules;
        dearer.raise(premium);
        check_costs(dearer);
        return dearer;
    }

    // Asks the same for another k, other limits of the same values, and another number of distinct values.
    void ask(std::int64_t k, const std::vector<Limit>& others, std::int64_t distinct) {
        bool same = others.size() == rules.limits.size();
        for (std::size_t s = 0; same && s < others.size(); ++s)
            same = others[s].column == rules.limits[s].column && others[s].missing == rules.limits[s].missing;
        if (!same) throw std::invalid_argument("limits of other values");
        if (distinct < 0 || distinct > INT32_MAX ||
            (distinct > 0 && rules.scheme != Scheme::NoSupp && rules.scheme != Scheme::AllRec))
            throw std::invalid_argument("distinct values go with NoSupp and allRec");
        Rules asked = rules;
        asked.k = std::max<std::int64_t>(k, 1);
        asked.distinct = distinct;
        asked.clear_limits();
        for (const Limit& limit : others) asked.add_limit(limit);
        check_values(asked);
        rules = std::move(asked);
    }

    CutMarks marks(const std::vector<int>& specialized) const {
        CutMarks result(trees.size(), 0);
        for (int v : specialized) result.at(v) = 1;
        for (int v : specialized)
            if (trees.leaf(v) || (trees.parent[v] >= 0 && !result[trees.parent[v]]))
                throw std::invalid_argument("these values are not those above a cut");
        return result;
    }

    static std::vector<int> specialized(const CutMarks& marks) {
        std::vector<int> result;
        for (std::size_t v = 0; v < marks.size(); ++v)
            if (marks[v]) result.push_back(static_cast<int>(v));
        return result;
    }

    // Puts the groups of the most general cut on the stacks of a search, with all combinations as their items. The
    // search takes them over, so that they are in memory once, unless more is asked of them later.
    void fill(Groups<std::int32_t>& groups, bool take) {
        combinations();
        const int words = trees.words(), attributes = trees.attributes();
        std::map<std::vector<std::uint64_t>, std::vector<std::size_t>> members;
        std::vector<std::uint64_t> key(words);
        for (std::size_t i = 0; i < data.size(); ++i) {
            for (int a = 0; a < attributes; ++a) {
                int v = data.leaves[i * attributes + a];
                while (trees.parent[v] >= 0) v = trees.parent[v];
                trees.put(key.data(), a, v);
            }
            members[key].push_back(i);
        }
        groups.adopt(take ? std::move(data.histograms) : data.histograms, data.size());
        for (const auto& [group_key, inside] : members) {
            for (std::size_t i : inside) {
                for (int a = 0; a < attributes; ++a) trees.put(key.data(), a, data.leaves[i * attributes + a]);
                groups.add_item(key.data(), data.rows[i], data.places[i], data.persons, i, data.listed);
            }
            std::uint64_t open = 0;
            for (int a = 0; a < attributes; ++a)
                if (!trees.leaf(trees.at(group_key.data(), a))) open |= bit(a);
            groups.add_group(group_key.data(), inside.size(), open);
        }
        if (take) data = {};
    }

    std::vector<int> open() const {
        std::vector<int> result;
        for (int v : trees.roots)
            if (!trees.leaf(v)) result.push_back(v);
        return result;
    }
};

// The rows of a table of limits: num, den, column, missing.
std::vector<Limit> read_limits(const Int64s& limits) {
    const std::size_t width = limits.shape(1);
    if (width != 4 && width != 6) throw std::invalid_argument("a limit is four numbers, or six");
    std::vector<Limit> result;
    for (std::size_t s = 0; s < limits.shape(0); ++s) {
        const std::int64_t* row = limits.data() + width * s;
        if (row[0] < 0 || row[0] > row[1] || row[1] > INT32_MAX) throw std::out_of_range("a limit is no share");
        if (row[2] < 0 || row[2] > static_cast<std::int64_t>(s)) throw std::out_of_range("columns are numbered from 0");
        Limit limit{row[0], row[1], static_cast<int>(row[2]), row[3] != 0};
        if (width == 6) {
            limit.exact_num = row[4], limit.exact_den = row[5];
            if (row[4] < 0 || row[4] > row[5] || row[5] > std::int64_t{1} << 62 || (row[1] == 0) != (row[5] == 0))
                throw std::out_of_range("a limit is no share");
        }
        result.push_back(limit);
    }
    return result;
}

// The places of values among the limits, tuple by tuple.
std::vector<int> read_tuples(const Int32s& tuples, const Rules& rules) {
    std::vector<int> result(tuples.data(), tuples.data() + tuples.size());
    if (!result.empty() && static_cast<int>(tuples.shape(1)) != rules.columns)
        throw std::invalid_argument("a tuple has one value a column");
    for (std::size_t i = 0; i < result.size(); ++i)
        if (result[i] < 0 || result[i] >= rules.values() ||
            rules.limits[result[i]].column != static_cast<int>(i) % rules.columns)
            throw std::out_of_range("no such value");
    return result;
}

// How many rows of every tuple vioRec keeps, and whether that is certainly the most.
std::pair<std::vector<std::int64_t>, bool> keep_jointly(const Int64s& limits, const Int32s& tuples,
                                                        const Int64Row& counts) {
    Rules rules;
    for (const Limit& limit : read_limits(limits)) rules.add_limit(limit);
    rules.tuples = read_tuples(tuples, rules);
    if (rules.columns < 2 || counts.shape(0) != tuples.shape(0))
        throw std::invalid_argument("tuples and counts differ in length");
    std::vector<std::int64_t> values(rules.values(), 0);
    const std::int64_t rows = sum_of(counts.data(), counts.shape(0), INT32_MAX);
    for (std::size_t i = 0; i < rules.tuples.size(); ++i) values[rules.tuples[i]] += counts.data()[i / rules.columns];
    JointKeep keep(rules.limits, rules.tuples, rules.columns);
    keep(rules.keep_most(rows, values.data()), counts.data());
    std::vector<std::int64_t> kept = keep.kept();
    return {std::move(kept), !keep.gave_up()};
}

Rules make_rules(int scheme, std::int64_t k, const Int64s& limits, const Int32s& tuples, int labels, bool joint,
                 std::int64_t unit, std::int64_t record_cost, std::int64_t value_cost, int size_part, int class_part,
                 std::vector<std::int64_t> size_table, std::vector<std::int64_t> class_table, std::int64_t most_lost) {
    if (scheme < 0 || scheme > static_cast<int>(Scheme::VioSA)) throw std::invalid_argument("no such scheme");
    if (size_part < 0 || size_part > static_cast<int>(SizePart::Table))
        throw std::invalid_argument("no such cost of sizes");
    if (class_part < 0 || class_part > static_cast<int>(ClassPart::Table))
        throw std::invalid_argument("no such cost of labels");
    if (labels < 0 || (labels == 0 && class_part != 0)) throw std::invalid_argument("a cost of labels needs labels");
    if (unit < 1) throw std::invalid_argument("no such unit");
    const bool needs_pairs =
        scheme == static_cast<int>(Scheme::VioRec) && class_part == static_cast<int>(ClassPart::Minority);
    if (needs_pairs && !joint && limits.shape(0) > 0)
        throw std::invalid_argument("pairs of values and labels are needed");
    if (joint && tuples.size() > 0) throw std::invalid_argument("pairs and tuples are not counted together");
    for (const std::int64_t cost : {record_cost, value_cost})
        if (cost < 0 || cost > kNever) throw std::invalid_argument("no such cost");
    if (static_cast<double>(limits.shape(0) + 1) * (labels + 1.0) + static_cast<double>(tuples.shape(0)) > 1 << 28)
        throw std::invalid_argument("too many values and labels");
    if (most_lost < 0) throw std::invalid_argument("no such limit of what may be lost");
    Rules rules;
    rules.most_lost = std::min(most_lost, kNever);
    rules.scheme = static_cast<Scheme>(scheme);
    rules.k = std::max<std::int64_t>(k, 1);
    rules.labels = labels;
    rules.joint = joint;
    rules.unit = unit;
    rules.record_cost = record_cost;
    rules.value_cost = value_cost;
    rules.size_part = static_cast<SizePart>(size_part);
    rules.class_part = static_cast<ClassPart>(class_part);
    rules.size_table = std::move(size_table);
    rules.class_table = std::move(class_table);
    for (const Limit& limit : read_limits(limits)) rules.add_limit(limit);
    rules.tuples = read_tuples(tuples, rules);
    return rules;
}

// What was taken and given back lies about in pieces; where there are many combinations, the system gets them.
void give_back([[maybe_unused]] std::size_t combinations) {
#ifdef __GLIBC__
    if (combinations > 100'000) malloc_trim(0);
#endif
}

class PyCutSearch {
  public:
    PyCutSearch(CutQuestion& question, int keep, std::int64_t slack, bool ascending, bool update, bool learn,
                bool needs, bool steps, bool ahead, bool remember, int threads, std::int64_t premium, bool take)
        : combinations_(question.data.rows.size()), rules_(question.raised(premium)) {
        SearchOptions options;
        options.keep = keep;
        options.slack = std::clamp<std::int64_t>(slack, 0, kSlackUnit);
        options.ascending = ascending;
        options.update = update;
        options.learn = learn;
        options.techniques = {needs, steps, ahead, remember};
        give_back(combinations_);
        search_ = std::make_unique<CutSearch<std::int32_t>>(
            question.trees, rules_, options, few_threads(threads), question.open(),
            [&](Groups<std::int32_t>& groups) { question.fill(groups, take); });
    }

    void offer(std::int64_t cost, std::vector<int> specialized) {
        if (cost < -kNever || cost >= kNever) throw std::invalid_argument("no such cost");
        search_->incumbents().offer(cost, std::move(specialized));
    }

    bool run(double seconds, std::int64_t steps) {
        nb::gil_scoped_release unlocked;
        const bool done = search_->run(seconds, steps);
        give_back(combinations_);
        return done;
    }

    std::vector<Found> best() {
        std::vector<Found> result;
        for (const CutFound& found : search_->incumbents().best()) result.emplace_back(found.cost, found.specialized);
        return result;
    }

    std::int64_t bound() { return search_->bound(); }
    std::int64_t examined() const { return search_->examined(); }

  private:
    std::size_t combinations_;
    Rules rules_;
    std::unique_ptr<CutSearch<std::int32_t>> search_;
};

class PyCutWalk {
  public:
    explicit PyCutWalk(const CutQuestion& question)
        : question_(question), walk_(question.trees, question.rules, question.combinations()) {}

    // The rows in groups that are not allowed, the cost of the others, groups, deleted rows, blanked values.
    std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t> measure(
        const std::vector<int>& specialized) {
        question_.combinations();
        nb::gil_scoped_release unlocked;
        walk_.go_to(question_.marks(specialized));
        const auto [deleted, blanked] = walk_.suppressed();
        return {walk_.cost().forbidden, walk_.cost().cost, static_cast<std::int64_t>(walk_.groups()), deleted, blanked};
    }

    std::pair<std::int64_t, std::int64_t> if_down(int v) {
        check(v, walk_.down());
        return pair(walk_.if_down(v));
    }
    std::pair<std::int64_t, std::int64_t> if_up(int v) {
        check(v, walk_.up());
        return pair(walk_.if_up(v));
    }

    // What a good cut specializes, and the premium near which the limit of what is lost begins to bind.
    std::pair<std::vector<int>, std::int64_t> good_start(std::uint64_t seed, int kicks, double seconds) {
        question_.combinations();
        nb::gil_scoped_release unlocked;
        const GoodStart found = StartSearch<std::int32_t>(walk_, question_.rules, ending(seconds))(seed, kicks);
        return {CutQuestion::specialized(found.marks), found.premium};
    }

    // The same, from the answer to a question that was a little easier.
    std::pair<std::vector<int>, std::int64_t> go_on(const std::vector<int>& specialized, std::int64_t premium,
                                                    std::uint64_t seed, int kicks, double seconds) {
        question_.combinations();
        if (premium < 0 || premium > kNever) throw std::invalid_argument("no such premium");
        nb::gil_scoped_release unlocked;
        StartSearch<std::int32_t> search(walk_, question_.rules, ending(seconds));
        const GoodStart found = search.go_on({question_.marks(specialized), premium}, seed, kicks);
        return {CutQuestion::specialized(found.marks), found.premium};
    }

    // What the released groups of the cut that was measured last have in common.
    std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> reached() {
        question_.combinations();
        const auto all = walk_.reached();
        return {all.persons, all.variety, all.with, all.of};
    }

    const std::vector<int>& down() const { return walk_.down(); }
    const std::vector<int>& up() const { return walk_.up(); }

  private:
    void check(int v, const std::vector<int>& among) const {
        question_.combinations();
        if (std::find(among.begin(), among.end(), v) == among.end())
            throw std::out_of_range("the cut has no such step");
    }

    static std::pair<std::int64_t, std::int64_t> pair(const CutCost& cost) { return {cost.forbidden, cost.cost}; }

    const CutQuestion& question_;
    CutWalk<std::int32_t> walk_;
};

class PyAnnealing {
  public:
    PyAnnealing(const CutQuestion& question, std::uint64_t seed, std::int64_t steps)
        : question_(question), walk_(question.trees, question.rules, question.combinations()),
          annealing_(walk_, seed, steps) {}

    bool run(std::int64_t steps) {
        question_.combinations();
        nb::gil_scoped_release unlocked;
        return annealing_.run(steps);
    }

    std::tuple<std::int64_t, std::int64_t, std::vector<int>> best() const {
        const CutCost& best = annealing_.best();
        return {best.forbidden + walk_.excess(best), best.cost, CutQuestion::specialized(annealing_.best_marks())};
    }

  private:
    const CutQuestion& question_;
    CutWalk<std::int32_t> walk_;
    Annealing<std::int32_t> annealing_;
};

}  // namespace

void bind_cuts(nb::module_& m) {
    m.attr("NEVER") = nb::int_(kNever);
    nb::class_<CutQuestion>(m, "CutQuestion")
        .def(
            "__init__",
            [](CutQuestion* self, std::vector<int> attribute, std::vector<int> parent, std::vector<std::int64_t> weight,
               std::vector<std::int64_t> below, const Int32s& leaves, const Int64Row& rows, const Cells& cells,
               int scheme, std::int64_t k, const Int64s& limits, const Int32s& tuples, int labels, bool joint,
               std::int64_t unit, std::int64_t record_cost, std::int64_t value_cost, int size_part, int class_part,
               std::vector<std::int64_t> size_table, std::vector<std::int64_t> class_table, std::int64_t most_lost,
               const GivenPersons& persons, const GivenWeights& weights) {
                new (self) CutQuestion(
                    Trees(std::move(attribute), std::move(parent), std::move(weight), std::move(below)),
                    make_rules(scheme, k, limits, tuples, labels, joint, unit, record_cost, value_cost, size_part,
                               class_part, std::move(size_table), std::move(class_table), most_lost),
                    leaves, rows, cells, persons, weights);
            },
            "attribute"_a, "parent"_a, "weight"_a, "below"_a, "leaves"_a, "rows"_a, "cells"_a, "scheme"_a, "k"_a,
            "limits"_a, "tuples"_a, "labels"_a, "joint"_a, "unit"_a, "record_cost"_a, "value_cost"_a, "size_part"_a,
            "class_part"_a, "size_table"_a, "class_table"_a, "most_lost"_a = kNever, "persons"_a = nb::none(),
            "weights"_a = nb::none())
        .def(
            "ask",
            [](CutQuestion& self, std::int64_t k, const Int64s& limits, std::int64_t distinct) {
                self.ask(k, read_limits(limits), distinct);
            },
            "k"_a, "limits"_a, "distinct"_a)
        .def_prop_ro("gave_up", [](const CutQuestion& self) { return self.rules.gave_up->load(); });
    m.def("keep_jointly", &keep_jointly, "limits"_a, "tuples"_a, "counts"_a);
    nb::class_<PyCutSearch>(m, "CutSearch")
        .def(nb::init<CutQuestion&, int, std::int64_t, bool, bool, bool, bool, bool, bool, bool, int, std::int64_t,
                      bool>(),
             nb::keep_alive<1, 2>(), "question"_a, "keep"_a, "slack"_a, "ascending"_a, "update"_a, "learn"_a, "needs"_a,
             "steps"_a, "ahead"_a, "remember"_a, "threads"_a, "premium"_a = 0, "take"_a = true)
        .def("offer", &PyCutSearch::offer, "cost"_a, "specialized"_a)
        .def("run", &PyCutSearch::run, "seconds"_a, "steps"_a = INT64_MAX)
        .def("best", &PyCutSearch::best)
        .def_prop_ro("bound", &PyCutSearch::bound)
        .def_prop_ro("examined", &PyCutSearch::examined);
    nb::class_<PyCutWalk>(m, "CutWalk")
        .def(nb::init<const CutQuestion&>(), nb::keep_alive<1, 2>(), "question"_a)
        .def("measure", &PyCutWalk::measure, "specialized"_a)
        .def("if_down", &PyCutWalk::if_down, "value"_a)
        .def("if_up", &PyCutWalk::if_up, "value"_a)
        .def("good_start", &PyCutWalk::good_start, "seed"_a, "kicks"_a, "seconds"_a)
        .def("go_on", &PyCutWalk::go_on, "specialized"_a, "premium"_a, "seed"_a, "kicks"_a, "seconds"_a)
        .def("reached", &PyCutWalk::reached)
        .def_prop_ro("down", &PyCutWalk::down)
        .def_prop_ro("up", &PyCutWalk::up);
    nb::class_<PyAnnealing>(m, "Annealing")
        .def(nb::init<const CutQuestion&, std::uint64_t, std::int64_t>(), nb::keep_alive<1, 2>(), "question"_a,
             "seed"_a, "steps"_a)
        .def("run", &PyAnnealing::run, "steps"_a)
        .def("best", &PyAnnealing::best);
}
