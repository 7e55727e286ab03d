// WEB table 4.3: how many random numbers an engine makes; one counts as one operation.
function weevil_main(numbers) {
  let sum = 0;
  for (let number = 0; number < numbers; ++number) sum += Math.random();
  return { operations: numbers, value: sum };
}
