/** kill -9 of the process that decides under a load of sends (I1, I2, I8, I23). */
import { killHard } from '../../support/kills.ts';
import { testUnderLoad } from './under-load.ts';

const title =
  'killed three times while calls are under way, it loses, doubles and reorders nothing';
testUnderLoad(title, {
  progress: 6,
  happens: async ({ stack, load }) => {
    for (const _ of [1, 2]) {
      await killHard(stack, 'actors');
      await load.progress(6);
    }
    await killHard(stack, 'actors');
  },
});
