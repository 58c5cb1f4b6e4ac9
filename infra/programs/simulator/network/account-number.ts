/**
 * The number of an account, however it is dialled: Mexican accounts have a 1 behind the country
 * code, Argentinian ones a 9.
 */
const ACCOUNTS: readonly (readonly [RegExp, string])[] = [
  [/^52(\d{10})$/, '521$1'],
  [/^54(\d{10})$/, '549$1'],
];

export function accountNumber(dialled: string): string {
  const found = ACCOUNTS.find(([pattern]) => pattern.test(dialled));
  return found ? dialled.replace(...found) : dialled;
}
