/** Lets everything happen that follows from an answer, until it waits for the clock. */
import { setImmediate as turn } from 'node:timers/promises';

export async function settle(turns = 20): Promise<void> {
  for (let count = 0; count < turns; count++) await turn();
}
