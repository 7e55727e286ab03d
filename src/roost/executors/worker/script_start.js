// Evaluated in the fresh context of every element, before its job: so it is short, and all that most jobs never need is
// in script_help.js, which is asked for when it is first used (compiling that takes as long as two contexts).
//
// Gives a function: with "call", the entry point and the arguments it calls the job and answers with the JSON text of
// the result, or with null if there is none, or none yet. Then "failure" and "result" tell what became of it.
// Only what JSON.stringify has made crosses to Python: zero characters, halves of surrogate pairs and strings that the
// engine has joined but not yet copied do not survive otherwise.
((longest) => {
  const { parse, stringify } = JSON, evaluate = eval, say = roost_say, define = Object.defineProperty;
  let helper;
  const lazy = () => (helper ??= evaluate(say("help"))(say, longest, evaluate, stringify));
  delete globalThis.roost_say;
  for (const name of ["console", "weevil_progress"])
    define(globalThis, name, { get: () => lazy()[name], configurable: true });
  // A typed array is a list of numbers, not an object with the keys "0", "1", and so on; flat() makes one of it.
  define(Uint8Array.prototype.__proto__, "toJSON", { value: [].flat });
  return (ask, entry, args) => {
    let value, text;
    try {
      if (ask !== "call") return lazy()[ask]();
      value = evaluate(entry)(...parse(args));
      text = typeof value?.then === "function" ? null : stringify(value);
    } catch (error) {
      return lazy().refused(error, entry, value);
    }
    return text?.length <= longest && !text.includes("null") ? text : lazy().finish(value);
  };
})
