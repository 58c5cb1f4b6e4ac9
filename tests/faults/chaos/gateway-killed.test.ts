/** kill -9 of the gateway under a load of sends (I1, I8). */
import { killHard } from '../../support/kills.ts';
import { testUnderLoad } from './under-load.ts';

testUnderLoad('a call that it could not answer any more has happened once or not at all', {
  progress: 6,
  happens: async ({ stack, load }) => {
    await killHard(stack, 'gateway');
    await load.progress(6);
    await killHard(stack, 'gateway');
  },
});
