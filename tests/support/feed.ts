/** Standard input of a program that a test runs. */
import type { Writable } from 'node:stream';

/** Writes all of `input`; a program that ends without reading it is no fault of the test's. */
export function feed(stdin: Writable, input: string): void {
  stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  if (input === '') stdin.end();
  else stdin.end(input);
}
