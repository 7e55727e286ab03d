// Evaluated in the fresh context of every element, before its job: so it is short, and all that most jobs never need is
// in script_help.js, which is compiled when it is first used (compiling that takes as long as two contexts).
//
// Gives a function that calls the entry point and answers with "=" and the JSON text of the result, with "!" and the
// JSON text of a failure (see script_help.js), or with null if a promise is open; called without a name it answers
// again. Only JSON text crosses to Python: zero characters and halves of surrogate pairs would not survive otherwise.
((help, longest) => {
  const { parse, stringify } = JSON, evaluate = eval, say = roost_say;
  delete globalThis.roost_say;
  let helper;
  const lazy = () => (helper ??= evaluate(help)(say, longest, evaluate, stringify));
  Object.defineProperty(globalThis, "console", { get: () => lazy().console, configurable: true });
  globalThis.weevil_progress = (...said) => lazy().progress(...said);
  // A typed array is a list of numbers, not an object with the keys "0", "1", and so on.
  Object.defineProperty(Uint8Array.prototype.__proto__, "toJSON", { value() { return [...this]; } });
  return (entry, args) => {
    if (!entry) return lazy().outcome();
    let value, text;
    try {
      value = evaluate(entry)(...parse(args));
    } catch (error) {
      return lazy().refused(error, entry);
    }
    try {
      if (typeof value?.then !== "function") text = stringify(value);
    } catch {}
    return typeof text !== "string" || text.length > longest || text.includes("null") ? lazy().finish(value) : "=" + text;
  };
})
