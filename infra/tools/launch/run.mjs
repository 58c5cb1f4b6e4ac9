// Runs a tool of the maintainers, named by its path: `npm run sim`, `chaos`, `mutate`, `shots` and
// `advisories`.
import { launch, prepare } from '../../programs/setup/launch.mjs';

await prepare({ development: true });
await launch(process.argv.slice(2));
