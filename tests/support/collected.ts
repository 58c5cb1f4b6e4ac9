/** Heap of this process once all garbage is collected. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of live objects. */
export function collectedBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
