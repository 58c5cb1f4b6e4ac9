/** Problems of one flow, as `recado apply` finds them, and parts of such flows. */
import { checkFlows } from '../../../../../actors/domain/organization/check-flows.ts';
import type { Applying } from '../../../../../actors/domain/organization/context.ts';
import { readOrganization } from '../../../../../shared/provisioning/organization.ts';
import { inEnglish } from '../../../../support/provisioning/in-english.ts';

export const end = { id: 'end', do: 'end' };
export const say = { id: 'a', do: 'send', text: 'x', next: 'end' };
export const buttonsOf = (...ids: readonly string[]) => ({
  type: 'buttons',
  text: 'x',
  buttons: ids.map((id, index) => ({ id, title: `${id} ${index}` })),
});
export const listOf = (rows: number) => ({
  type: 'list',
  text: 'x',
  button: 'y',
  sections: [
    { rows: Array.from({ length: rows }, (_, index) => ({ id: `r${index}`, title: `${index}` })) },
  ],
});

/** The organization has one channel at the `web` network, `shop`. */
export function problemsOf(steps: readonly unknown[], flow: object = {}): readonly string[] {
  const raw = { ref: 'o', flows: [{ ref: 'f', name: 'F', steps, ...flow }] };
  const { organization, issues } = readOrganization(raw);
  const found = [...issues];
  const context = { eventHeaderPrefix: 'X-Loja' } as Applying['context'];
  const applying: Applying = {
    orgId: 'org_1',
    country: 'BR',
    commandId: 'cmd_1',
    seed: '',
    context,
    raw,
    issues: found,
    created: [],
  };
  const flows = organization?.flows.map(({ entry }) => entry) ?? [];
  const nameable = {
    ...{ members: [], files: [], tags: ['x', 'Café'] },
    ...{ stages: [{ id: 'stg_1', name: 'Novo' }], stageNames: ['Novo'] },
    flows: flows.map(({ ref, channel = null, steps = [] }) => ({ id: ref, ref, channel, steps })),
    webChannels: new Set(['shop']),
  };
  checkFlows(applying, nameable, organization?.flows ?? []);
  return inEnglish(found).map(({ path, message }) => `${path.replace('flows.0.', '')} ${message}`);
}
