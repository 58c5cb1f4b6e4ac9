// `npm run advisories`: known vulnerabilities of the production dependencies (docs/security.md).
import { launch } from './launch.mjs';

await launch(['tests/security/list-advisories.ts']);
