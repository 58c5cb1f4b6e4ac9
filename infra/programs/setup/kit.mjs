// `npm run kit`: the client package, made from the OpenAPI document (docs/integrate.md).
import { launch } from './launch.mjs';

await launch(['infra/kit/main.ts', ...process.argv.slice(2)]);
