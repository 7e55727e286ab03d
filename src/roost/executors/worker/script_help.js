// The part of script_start.js that most jobs never need: output, progress, promises, and everything that goes wrong.
// A failure is an array: whether the job itself threw it, what it is, and its stack.
((say, longest, evaluate, stringify) => {
  const line_length = 1 << 20;
  let failure = null, outcome = null;
  const failed = (thrown, reason, stack) => {
    failure = stringify([thrown, reason, stack]);
    return null;
  };

  const shown = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return `${value}\n${value.stack}`;
    try {
      return stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };

  const writer = (stream) => (...values) => {
    say(stream, stringify(values.map(shown).join(" ").slice(0, line_length)), 0);
  };
  const out = writer("stdout"), err = writer("stderr");
  const console = { log: out, info: out, debug: out, warn: err, error: err };

  const weevil_progress = (fraction, note = "") => {
    say("progress", stringify(String(note).slice(0, line_length)), Number(fraction) || 0);
  };

  const thrown = (error) => {
    try {
      if (error instanceof Error) return failed(true, String(error), String(error.stack));
      return failed(true, `threw ${shown(error)}`, "");
    } catch {
      return failed(true, "threw something that has no text", "");
    }
  };

  // JSON.stringify makes null of these without a word, which nobody who computes wants.
  const finite = (key, value) => {
    if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`it holds ${value}`);
    return value;
  };

  const encoded = (value) => {
    if (value === undefined) return "null";
    let text;
    try {
      text = stringify(value, finite);
      if (text === undefined) throw new TypeError(`it is a ${typeof value}`);
    } catch (error) {
      if (error?.message === "out of memory") return thrown(error);
      return failed(false, `its result has no JSON form: ${error?.message ?? error}`, "");
    }
    if (text.length > longest) return failed(false, `its result takes ${text.length} characters of JSON`, "");
    return text;
  };

  const refused = (error, entry, value) => {
    // It returned, and what it returned cannot be written.
    if (value !== undefined) return encoded(value);
    let kind = "undefined";
    try {
      kind = typeof evaluate(entry);
    } catch {}
    return kind === "function" ? thrown(error) : failed(false, `the script has no function '${entry}'`, "");
  };

  const finish = (value) => {
    if (typeof value?.then !== "function") return encoded(value);
    Promise.resolve(value).then(
      (result) => { outcome = encoded(result); },
      (error) => { thrown(error); },
    );
    return null;
  };

  return { console, weevil_progress, refused, finish, failure: () => failure, result: () => outcome };
})
