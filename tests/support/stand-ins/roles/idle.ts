/** A role that does nothing until it is told to stop. */
import { onStop } from '../../../../infra/programs/service/supervisor/children/stop-signal.ts';

const alive = setInterval(() => performance.now(), 60_000);
onStop(async () => clearInterval(alive));
