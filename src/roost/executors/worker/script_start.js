// Evaluated in the fresh context of every element, before its job: so it is short, and all that most jobs never need is
// in script_help.js, which is compiled when it is first used (compiling that takes as long as two contexts).
//
// Gives a function: with "call", the entry point and the arguments it calls the job and answers with the JSON text of
// the result, or with null if there is none, or none yet. Then "failure" and "result" tell what became of it.
// Only what JSON.stringify has made crosses to Python: zero characters, halves of surrogate pairs and strings that the
// engine has joined but not yet copied do not survive otherwise.
((help, longest) => {
  const { parse, stringify } = JSON, evaluate = eval, say = roost_say;
  delete globalThis.roost_say;
  let helper;
  const lazy = () => (helper ??= evaluate(help)(say, longest, evaluate, stringify));
  Object.defineProperty(globalThis, "console", { get: () => lazy().console, configurable: true });
  globalThis.weevil_progress = (...said) => lazy().progress(...said);
  // A typed array is a list of numbers, not an object with the keys "0", "1", and so on.
  Object.defineProperty(Uint8Array.prototype.__proto__, "toJSON", { value() { return [...this]; } });
  return (ask, entry, args) => {
    if (ask !== "call") return lazy()[ask]();
    let value, text;
    try {
      value = evaluate(entry)(...parse(args));
    } catch (error) {
      return lazy().refused(error, entry);
    }
    try {
      if (typeof value?.then !== "function") text = stringify(value);
    } catch {}
    return typeof text !== "string" || text.length > longest || text.includes("null") ? lazy().finish(value) : text;
  };
})
