/**
 * Accounts of a NATS server as its operator makes them with `nsc`: an operator, its accounts and
 * their users, each signed by the one above (https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/jwt).
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nkeys } from 'nats';
import {
  type BusPermissions,
  type RolePermissions,
  rolePermissions,
} from '../../../infra/adapters/nats/permissions.ts';

type KeyPair = ReturnType<typeof nkeys.createUser>;
type Claims = Readonly<Record<string, unknown>>;

const NO_LIMIT = { subs: -1, data: -1, payload: -1 };
const ACCOUNT_LIMITS = {
  ...NO_LIMIT,
  conn: -1,
  leaf: -1,
  imports: -1,
  exports: -1,
  wildcards: true,
};
const ANSWER_WITHIN_NS = 120e9;

/** Files of credentials, by role. */
export type RoleCredentials = Readonly<Record<keyof RolePermissions, string>>;

/** The operator of a NATS server, with one account. */
export class NatsOperator {
  readonly #operator = nkeys.createOperator();
  readonly #account = nkeys.createAccount();

  /** The part of the servers' configuration that trusts this operator. */
  get trusted(): string {
    const operator = signed(this.#operator, this.#operator, { name: 'tests', type: 'operator' });
    const claims = { name: 'recado', type: 'account', limits: ACCOUNT_LIMITS };
    const account = signed(this.#operator, this.#account, claims);
    return [
      `operator: ${operator}`,
      'resolver: MEMORY',
      `resolver_preload: { ${this.#account.getPublicKey()}: ${account} }`,
    ].join('\n');
  }

  /** Credentials of every role of an installation with this prefix. */
  issue(folder: string, prefix = 'recado'): RoleCredentials {
    const { gateway, panel, actors, sandbox, operator, all } = rolePermissions(prefix);
    const issue = (role: string, of: BusPermissions) =>
      this.#issue(folder, `${prefix}-${role}`, of);
    return {
      gateway: issue('gateway', gateway),
      panel: issue('panel', panel),
      actors: issue('actors', actors),
      sandbox: issue('sandbox', sandbox),
      operator: issue('operator', operator),
      all: issue('all', all),
    };
  }

  #issue(folder: string, name: string, { publish, subscribe }: BusPermissions): string {
    const user = nkeys.createUser();
    const resp = { max: 1, ttl: ANSWER_WITHIN_NS };
    const claims = { name, type: 'user', pub: publish, sub: subscribe, resp, ...NO_LIMIT };
    const token = signed(this.#account, user, claims);
    const seed = Buffer.from(user.getSeed()).toString('utf8');
    const path = join(folder, `${name}.creds`);
    writeFileSync(path, credentials(token, seed), { mode: 0o600 });
    return path;
  }
}

function signed(by: KeyPair, of: KeyPair, { name, ...nats }: Claims): string {
  const names = { iss: by.getPublicKey(), sub: of.getPublicKey(), name };
  const claims = { jti: randomUUID(), iat: Math.floor(Date.now() / 1_000), ...names };
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const head = encoded({ typ: 'JWT', alg: 'ed25519-nkey' });
  const body = `${head}.${encoded({ ...claims, nats: { ...nats, version: 2 } })}`;
  const signature = Buffer.from(by.sign(Buffer.from(body))).toString('base64url');
  return `${body}.${signature}`;
}

function credentials(token: string, seed: string): string {
  const part = (name: string, text: string) =>
    `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n`;
  return `${part('NATS USER JWT', token)}\n${part('USER NKEY SEED', seed)}`;
}
