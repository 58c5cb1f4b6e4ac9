/** `npm run kit`: writes the client package into a folder, `.runtime/kit` unless given. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { buildDocument } from '../../gateway/openapi/document.ts';
import { ROUTES } from '../../gateway/routes.ts';
import { clientFiles, PACKAGE } from './pack.ts';
import { packFiles } from './tar.ts';

const FOLDER = '.runtime/kit';
/** The document of no installation: its client takes any address. */
const ANY_ADDRESS = 'http://localhost:3000';

const folder = resolve(process.argv[2] ?? FOLDER);
const files = await clientFiles(buildDocument(ROUTES, ANY_ADDRESS));
for (const { name, text, isProgram } of files) {
  const path = join(folder, PACKAGE, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode: isProgram === true ? 0o755 : 0o644 });
}
const packed = await packFiles(files);
const archive = join(folder, `${PACKAGE}.tgz`);
await writeFile(archive, packed);
process.stdout.write(`${archive}: ${packed.length} bytes\n`);
