/** kill -9 of the MongoDB engine under a load of sends (I1, I2). */
import { killHard } from '../../support/kills.ts';
import { testUnderLoad } from './under-load.ts';

const title = 'every accepted message is still there when the engine comes back, once and in order';
testUnderLoad(title, { progress: 6, happens: ({ stack }) => killHard(stack, 'mongo') });
