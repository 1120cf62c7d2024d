// A slider over named steps. It moves at once and sends the page a "moved" event; what is typed into the
// field beside it, which may lie between two steps, is sent as "typed".
export default {
  props: { name: String, words: Array, fields: Array, place: Number, version: Number, empty: String },
  emits: ["moved", "typed"],
  template: `
    <div class="slide" :class="{ typed: fields }">
      <div class="slide-head"><slot></slot><output>{{ shown }}</output></div>
      <input v-if="fields" class="slide-field" type="text" inputmode="decimal" autocomplete="off"
             :value="typed ?? fields[at]" :placeholder="empty" :aria-label="name + ', as a number'"
             @input="typed = $event.target.value" @change="type" @keydown.enter="$event.target.blur()" />
      <input type="range" min="0" step="1" :max="words.length - 1" :value="at" :aria-label="name"
             :aria-valuetext="shown" :disabled="words.length < 2" @input="move" />
    </div>`,
  data() {
    // What is being typed stays in the field when the page is drawn anew meanwhile.
    return { at: this.place, typed: null };
  },
  watch: {
    version() {
      this.at = this.place;
      this.typed = null;
      // What was typed and refused is no value of the field, so Vue would leave it there.
      this.$nextTick(() => {
        const field = this.$el.querySelector(".slide-field");
        if (field) field.value = this.fields[this.at] ?? "";
      });
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
      this.typed = null;
      this.$emit("moved", this.at);
    },
    type(event) {
      this.$emit("typed", event.target.value.trim());
    },
  },
};
