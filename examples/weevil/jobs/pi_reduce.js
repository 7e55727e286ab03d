// Four times the share of points inside the circle is pi.
function weevil_main(counts) {
  var inside = 0;
  var thrown = 0;
  counts.forEach(function (count) {
    inside += count.inside;
    thrown += count.thrown;
  });
  return (4 * inside) / thrown;
}
