// Goes round a loop of arithmetic `a` times and returns how many floating point operations that were.
function weevil_main(a) {
  var operations = 0;
  var value = 0;
  for (var round = 0; round < a; ++round) {
    value = value * 0.5 + 3.6 - 1.2 * 14 + 13 / 2 - value / 15 + 10 * 1.5;
    operations += 10;
  }
  // The value decides nothing, but an engine that sees it unused might leave out the work.
  return value === Infinity ? 0 : operations;
}
