/** A provisioning file and a context to decide it in: what the organization's tests start from. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { decideApply } from '../../../../actors/domain/organization/apply.ts';
import type { OrganizationContext } from '../../../../actors/domain/organization/context.ts';
import type { OrganizationState } from '../../../../actors/domain/organization.ts';
import type { SecretLocation } from '../../../../shared/ports/vault.ts';
import type { ApplyCommand } from '../../../../shared/provisioning/commands.ts';
import { COMMON } from '../../example-file.ts';
import { inEnglish } from '../../provisioning/in-english.ts';

export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

let sealed = 0;

const shown = ({ orgId, recordId, field }: SecretLocation) => `${orgId}/${recordId}/${field}`;

/** Seals differently each time and for one place, as the vault does. */
export function contextAt(
  now: number,
  refused: Record<string, string> = {},
  tags: readonly string[] = [],
): OrganizationContext {
  return {
    now,
    publicUrl: 'http://127.0.0.1:8080',
    eventHeaderPrefix: 'X-Loja',
    ids: {
      fresh: (prefix) => `${prefix}_fresh`,
      derive: (prefix, ...parts) =>
        `${prefix}_${digest(parts.join('/')).replace(/[-_]/g, '0').slice(0, 22)}`,
      digest,
    },
    seal: (plain, place) => `sealed ${sealed++} ${shown(place)} ${plain}`,
    open: (text, place) => {
      const [, , where, ...plain] = text.split(' ');
      assert.equal(where, shown(place), 'opened where it was sealed for');
      return plain.join(' ');
    },
    lastUsedAt: () => null,
    refuseUrl: (url) => refused[url] ?? null,
    stagesWithDeals: new Set(),
    tags,
  };
}

let commands = 0;

export function applyOf(organization: unknown, check = false): ApplyCommand {
  commands++;
  const seed = digest(`seed ${commands}`);
  return { id: `cmd_${commands}`, type: 'apply', check, seed, organization };
}

/** The organization after `organization` was applied; fails where it is refused. */
export function applied(
  organization: unknown,
  state: OrganizationState | null = null,
  now = NOW,
): OrganizationState {
  const decision = decideApply(state, applyOf(organization), contextAt(now));
  if ('refused' in decision) throw new Error(JSON.stringify(decision.refused));
  if (decision.accepted === null) throw new Error('there is no organization');
  return decision.accepted;
}

/** Problems of a refused `organization`, each as "path message"; none where it is accepted. */
export function problemsOf(
  organization: unknown,
  state: OrganizationState | null = null,
  context = contextAt(NOW),
): readonly string[] {
  const decision = decideApply(state, applyOf(organization), context);
  if (!('refused' in decision)) return [];
  return inEnglish(decision.refused).map(({ path, message }) => `${path} ${message}`);
}

/** The paths at which `organization` is refused. */
export function refusedPaths(...refused: Parameters<typeof problemsOf>): readonly string[] {
  return problemsOf(...refused).map((problem) => problem.split(' ')[0] ?? '');
}

/** An example of a provisioning file (C12), as the command line hands it on. */
export const LOJA = {
  ...COMMON,
  keys: [
    { ref: 'erp', name: 'ERP', scope: 'account', token: 'given-by-the-caller-0123456789' },
    { ref: 'shop-key', name: 'Vendas', scope: 'channel', channel: 'shop' },
  ],
  files: [
    {
      ref: 'logo',
      name: 'logo.png',
      contentDigest: 'ab'.repeat(32),
      sizeBytes: 12,
      mimeType: 'image/png',
    },
  ],
  subscriptions: [{ ref: 'crm', url: 'https://crm.example.com/hook', events: ['*'] }],
};

export function decided(state: OrganizationState | null, command: ApplyCommand, now = NOW) {
  const decision = decideApply(state, command, contextAt(now));
  assert.ok(!('refused' in decision), JSON.stringify(decision));
  return decision;
}

export function named<T extends { readonly ref: string }>(entries: readonly T[], ref: string): T {
  const entry = entries.find((candidate) => candidate.ref === ref);
  assert.ok(entry, ref);
  return entry;
}
