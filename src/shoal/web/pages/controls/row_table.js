// All rows before and after, of which only those in sight are fetched and drawn.
const HIGH = 56;
const TALLEST = 8000000;
export default {
  props: { url: String, columns: Array, name: String },
  template: `
    <div class="row-table">
      <div class="actions">
        <label class="row-order">Order
          <select v-model="order" @change="load(true)">
            <option value="lost">most detail lost first</option>
            <option value="risk">highest risk left first</option>
            <option value="before">highest risk before first</option>
            <option value="group">group by group</option>
          </select>
        </label>
        <span role="status">{{ told }}</span>
      </div>
      <div class="row-view" tabindex="0" role="region" :aria-label="name" @scroll="look" ref="view">
        <div :style="{ height: tall + 'px' }">
          <table :style="{ transform: 'translateY(' + shift + 'px)' }" :aria-rowcount="total + 1">
            <caption class="unseen">{{ name }}</caption>
            <thead><tr><th scope="col">group</th><th scope="col">risk</th><th scope="col">lost</th>
              <th v-for="column in columns" scope="col" :title="column">{{ column }}</th></tr></thead>
            <tbody>
              <tr v-for="(row, i) in rows" :key="offset + i" :aria-rowindex="offset + i + 2" :class="{ gone: !row.after }">
                <td>{{ row.after ? row.group + ' (' + row.size + ' rows)' : 'left out' }}</td>
                <td><span>{{ row.said.risk_before }}</span><b>{{ row.after ? row.said.risk : '–' }}</b></td>
                <td>{{ row.said.lost }}</td>
                <td v-for="(value, a) in row.before" :title="(value ?? 'missing') + ' → ' + (row.after ? row.after[a] ?? 'missing' : 'left out')">
                  <span>{{ value ?? 'missing' }}</span><b v-if="row.after">{{ row.after[a] ?? 'missing' }}</b></td>
              </tr>
            </tbody>
          </table>
        </div>
      </div>
    </div>`,
  data: () => ({ order: "lost", rows: [], total: 0, offset: 0, shift: 0, told: "Reading …", turn: 0 }),
  computed: {
    tall() {
      return Math.min((this.total + 1) * HIGH, TALLEST);
    },
  },
  mounted() {
    this.load(true);
  },
  methods: {
    // In a table that is too tall for a browser, a step of the scroll bar is several rows.
    first() {
      const view = this.$refs.view;
      const most = this.total - Math.floor(view.clientHeight / HIGH) + 2;
      const room = this.tall - view.clientHeight;
      return room > 0 ? Math.max(Math.min(Math.floor((view.scrollTop / room) * most + 0.5) - 2, most), 0) : 0;
    },
    look() {
      clearTimeout(this.soon);
      this.soon = setTimeout(() => this.load(false), 40);
    },
    async load(top) {
      if (top) this.$refs.view.scrollTop = 0;
      const turn = ++this.turn;
      const offset = top ? 0 : this.first();
      const seen = Math.ceil(this.$refs.view.clientHeight / HIGH) + 6;
      try {
        const answer = await fetch(`${this.url}?order=${this.order}&offset=${offset}&limit=${seen}`);
        const found = await answer.json();
        if (turn !== this.turn) return;
        if (!answer.ok) throw new Error(found.error);
        this.rows = found.rows;
        this.total = found.total;
        this.offset = found.offset;
        this.shift = Math.max(Math.min(this.$refs.view.scrollTop - (offset ? HIGH : 0), this.tall - (found.rows.length + 1) * HIGH), 0);
        const last = offset + found.rows.length;
        this.told = `Rows ${(offset + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${found.total.toLocaleString("en")}`;
      } catch (problem) {
        if (turn === this.turn) this.told = `The rows could not be read: ${problem.message}`;
      }
    },
  },
};
