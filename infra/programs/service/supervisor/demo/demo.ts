/**
 * The demo organization of a first run, made by the operator's own command (`recado apply`).
 * 1. Its keys and secrets are stored in `DATA_DIR/demo.json` before they are used, so that the next
 *    start finishes an interrupted seeding with the same ones.
 * 2. A database that already has an organization stays unchanged.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Environment } from '../../../../config/config.ts';

const SecretsSchema = v.object({
  accountKey: v.string(),
  channelKey: v.string(),
  accessToken: v.string(),
  appSecret: v.string(),
  verifyToken: v.string(),
  /** Of the second network's channel; the file of an earlier start may lack them. */
  session: v.optional(v.string(), freshSession),
  apiKey: v.optional(v.string(), freshSecret),
  webhookSecret: v.optional(v.string(), freshSecret),
});
const DemoSchema = v.object({
  secrets: SecretsSchema,
  /** Null until `apply` has succeeded. */
  channelId: v.nullable(v.string()),
  webChannelId: v.optional(v.nullable(v.string()), null),
});
export type Demo = v.InferOutput<typeof DemoSchema>;

export interface Seeded extends Demo {
  /** Where its keys are kept, readable by their owner only. */
  readonly file: string;
  /** This start has made it. */
  readonly isNew: boolean;
  /** Signs in its administrator, once; null unless this start has made it beside a panel. */
  readonly signInUrl: string | null;
}

const ApplyOutputSchema = v.object({
  orgs: v.object({
    demo: v.object({
      channels: v.object({
        main: v.object({ id: v.string() }),
        shop: v.object({ id: v.string() }),
      }),
    }),
  }),
});

export interface SeedOptions {
  readonly root: string;
  readonly dataDir: string;
  readonly env: Environment;
  /** Whether the database already has an organization. */
  readonly hasOrganization: () => Promise<boolean>;
  readonly hasPanel: boolean;
}

/** The demo that an earlier start seeded, or did not finish; null if there is none. */
function readDemo(dataDir: string): Demo | null {
  try {
    return v.parse(DemoSchema, JSON.parse(readFileSync(fileOf(dataDir), 'utf8')));
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return null;
    throw new Error(`${fileOf(dataDir)} cannot be read`, { cause: error });
  }
}

/**
 * Seeds the demo organization unless it exists, or another one does; null in the latter case.
 * @throws {Error} with the output of a failed `apply`; the next start tries again
 */
export async function seedDemo(options: SeedOptions): Promise<Seeded | null> {
  const before = readDemo(options.dataDir);
  const file = fileOf(options.dataDir);
  if (before !== null && before.channelId !== null && before.webChannelId !== null) {
    return { ...before, file, isNew: false, signInUrl: null };
  }
  if (before === null && (await options.hasOrganization())) return null;
  const demo = before ?? { secrets: freshSecrets(), channelId: null, webChannelId: null };
  writeDemo(options.dataDir, demo);
  const { demoFile } = await import('./demo-file.ts');
  const provisioning = JSON.stringify(demoFile(options.root, demo.secrets));
  const output = await recado(options, ['apply', '-'], provisioning);
  const applied = v.parse(ApplyOutputSchema, JSON.parse(output));
  const { main, shop } = applied.orgs.demo.channels;
  const seeded = { ...demo, channelId: main.id, webChannelId: shop.id };
  writeDemo(options.dataDir, seeded);
  const signInUrl = options.hasPanel ? await signInLink(options) : null;
  return { ...seeded, file, isNew: true, signInUrl };
}

function freshSecrets(): Demo['secrets'] {
  return {
    accountKey: `rcd_demo_${freshSecret()}`,
    channelKey: `rcd_demo_${freshSecret()}`,
    accessToken: freshSecret(),
    appSecret: freshSecret(),
    verifyToken: freshSecret(),
    session: freshSession(),
    apiKey: freshSecret(),
    webhookSecret: freshSecret(),
  };
}

function freshSecret(): string {
  return randomBytes(24).toString('hex');
}

function freshSession(): string {
  return `demo-${randomBytes(4).toString('hex')}`;
}

const LinkSchema = v.object({ url: v.string() });

async function signInLink(options: SeedOptions): Promise<string> {
  const words = ['--json', 'panel', 'link', '--org', 'demo', '--member', 'admin'];
  return v.parse(LinkSchema, JSON.parse(await recado(options, words, ''))).url;
}

function recado(options: SeedOptions, words: readonly string[], input: string): Promise<string> {
  const args = ['infra/programs/cli/main.ts', ...words];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: options.root,
      env: { ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.stdin.on('error', (error) => {
      stderr += error.message;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${words.join(' ')} exited with code ${code}: ${stderr.trim()}`));
    });
    child.stdin.end(input);
  });
}

function writeDemo(dataDir: string, demo: Demo): void {
  const draft = `${fileOf(dataDir)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, fileOf(dataDir));
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'demo.json');
}
