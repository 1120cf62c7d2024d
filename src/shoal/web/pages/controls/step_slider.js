// A slider over named steps. It moves at once and sends the page a "moved" event.
export default {
  props: { name: String, words: Array, place: Number, version: Number, note: String },
  emits: ["moved"],
  template: `
    <div class="slide">
      <div class="slide-head"><slot></slot><output>{{ shown }}</output></div>
      <input type="range" min="0" step="1" :max="words.length - 1" :value="at" :aria-label="name"
             :aria-valuetext="shown" :disabled="words.length < 2" @input="move" />
    </div>`,
  data() {
    return { at: this.place };
  },
  watch: {
    version() {
      this.at = this.place;
    },
  },
  computed: {
    shown() {
      return this.words[this.at] ?? "";
    },
  },
  methods: {
    move(event) {
      this.at = Number(event.target.value);
      this.$emit("moved", this.at);
    },
  },
};
