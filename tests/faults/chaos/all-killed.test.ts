/** kill -9 of bus, store, actors and gateway at once, under load. */
import { runs } from '../../support/processes.ts';
import { waitFor } from '../../support/wait-for.ts';
import { testUnderLoad } from './under-load.ts';

testUnderLoad('killed all at once, it comes back with everything that it had accepted', {
  settings: { FORMATION: 'gateway=1,actors=2' },
  progress: 5,
  happens: async ({ stack }) => {
    const { nats = [], mongo = [], actors = [], gateway = [] } = stack.runFile().pids;
    const victims = [...nats, ...mongo, ...actors, ...gateway];
    for (const pid of victims) process.kill(pid, 'SIGKILL');
    await waitFor(() => !victims.some(runs), { what: 'all of them are gone' });
  },
});
