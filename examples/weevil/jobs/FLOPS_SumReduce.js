// Adds up an array. It may arrive as text, such as "[1, 2]": eval makes an array of that, and leaves an array as it is.
function weevil_main(a) {
  a = eval(a);
  var sum = 0;
  for (var i = 0; i < a.length; ++i) {
    sum += a[i];
  }
  return sum;
}
