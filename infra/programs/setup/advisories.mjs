// `npm run advisories`: known vulnerabilities of the production dependencies (docs/security.md).
import { launch } from './launch.mjs';

await launch(['infra/tools/advisories/main.ts']);
