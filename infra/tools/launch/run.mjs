// Runs a tool of the maintainers, named by its path: `npm run sim`, `chaos`, `mutate`, `shots` and
// `advisories`.
import { launch } from '../../programs/setup/launch.mjs';

await launch(process.argv.slice(2));
