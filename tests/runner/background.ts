/** Preloaded into test processes that only compute: they take what others leave of the cores. */
import { setPriority } from 'node:os';

/** A tenth of the share of another process. */
const NICE = 10;

setPriority(NICE);
