/** A role that is ready at once: it answers every request with 200 on PORT. */
import { createServer } from 'node:http';
import { configOrExit } from '../../../../infra/config/process-config.ts';
import { onStop } from '../../../../infra/programs/service/supervisor/children/stop-signal.ts';

const config = configOrExit();
const server = createServer((_, response) => response.end('{}'));
server.listen(config.port, config.host);
onStop(async () => {
  server.close();
  process.exit(0);
});
