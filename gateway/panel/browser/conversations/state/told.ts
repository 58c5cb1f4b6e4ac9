/** A sentence about what was done last in a thread, for a few seconds. */
import { signal } from '@preact/signals';
import { after } from '../../clock.ts';

const SHOWN_MS = 6_000;

export const told = signal('');

let cancel: () => void = () => undefined;

export function tell(sentence: string): void {
  cancel();
  told.value = sentence;
  cancel = after(SHOWN_MS, () => {
    told.value = '';
  });
}
