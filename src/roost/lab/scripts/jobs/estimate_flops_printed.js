// WEB figure 4.2 as it is printed. All factors are constants: an engine that compiles may reckon their product once, and
// do two of the ten operations that are counted.
function weevil_main(turns) {
  let operations = 0;
  let sum = 0;
  for (let turn = 0; turn < turns; ++turn) {
    sum = sum + 13 - 10 * 14 * 2 * 15 * 2 * 4 * 2 * 3.6 * 1.2;
    operations += 10;
  }
  return { operations, value: sum };
}
