// WEB figure 4.2: ten floating point operations a turn. Where the document multiplies by a constant 10, the turn stands:
// so the product differs in every turn, and no engine can reckon it once and leave nine of the ten operations out. The
// turns count by halves, which keeps the product out of an engine's whole numbers. The sum is returned, for what nobody
// uses need not be reckoned at all.
function weevil_main(turns) {
  let operations = 0;
  let sum = 0;
  for (let turn = 0.5; turn < turns; ++turn) {
    sum = sum + 13 - turn * 14 * 2 * 15 * 2 * 4 * 2 * 3.6 * 1.2;
    operations += 10;
  }
  return { operations, value: sum };
}
