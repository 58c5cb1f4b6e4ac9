/**
 * `recado channels check`: checks what one channel needs, from the process that calls its network.
 * It changes nothing and sends no message.
 */
import { type ChannelFinding, fail, withSkippedSteps } from '../../shared/channel-check.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import { loadConfiguration } from '../channel/readiness/configuration.ts';
import type { Environment } from '../environment.ts';
import type { OrganizationDocument } from '../model/organization.ts';
import { organizationPages } from '../organization/read-organization.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { Query } from './lists/answer.ts';

const DISABLED = { code: 'channelDisabled', params: {} } as const;
const ENABLE = { code: 'enableChannel', params: {} } as const;
const GIVE_KEY = { code: 'giveKey', params: {} } as const;

interface Named {
  readonly organization: Pick<OrganizationDocument, '_id' | 'ref' | 'country'>;
  readonly channel: OrganizationDocument['channels'][number];
}

export const checkChannel: Query<'channel-check'> = async (
  environment,
  { channel, organization },
) => {
  const all = await named(environment, channel, organization);
  const [one, another] = all;
  if (one === undefined) return refusal(404, `there is no channel "${channel}"`);
  if (another !== undefined) {
    const where = all.map(({ organization: { ref } }) => ref).join(', ');
    return refusal(409, `several organizations have a channel "${channel}" (${where}): add --org`);
  }
  const { id, ref, provider } = one.channel;
  const { _id, ref: org, country } = one.organization;
  return answerOf({
    org: { id: _id, ref: org, country },
    channel: { id, ref, provider },
    steps: await findings(environment, one),
  });
};

/** English: the command line shows it unchanged. */
function refusal(status: number, error: string) {
  return { status, body: JSON.stringify({ error }) };
}

/** A `ref` has precedence over an id. */
async function named(
  environment: Environment,
  name: string,
  org: string | null,
): Promise<readonly Named[]> {
  const project = { ref: 1, removed: 1, country: 1, channels: 1 } as const;
  const byRef: Named[] = [];
  const byId: Named[] = [];
  for await (const page of organizationPages(environment.store, project)) {
    for (const organization of page) {
      const asked = org === null || organization.ref === org || organization._id === org;
      if (!asked || organization.removed === true) continue;
      for (const channel of organization.channels) {
        if (channel.removed === true) continue;
        if (channel.ref === name) byRef.push({ organization, channel });
        else if (channel.id === name) byId.push({ organization, channel });
      }
    }
  }
  return byRef.length > 0 ? byRef : byId;
}

async function findings(
  environment: Environment,
  { channel }: Named,
): Promise<readonly ChannelFinding[]> {
  try {
    const configuration = await loadConfiguration(environment, channel.id);
    const driver = environment.networks.driver(channel.provider);
    if (configuration === null || driver.check === undefined) return [];
    const { publicUrl } = environment.settings;
    const webhookUrl = `${publicUrl}/networks/${channel.provider}/${channel.id}`;
    const steps = await driver.check(configuration.network, webhookUrl);
    return channel.enabled ? steps : steps.map(disabled);
  } catch (cause) {
    const detail = { code: 'secretsUnreadable', params: { text: describe(cause) } } as const;
    return withSkippedSteps([fail('settings', detail, GIVE_KEY)]);
  }
}

function disabled(finding: ChannelFinding): ChannelFinding {
  const told = finding.step === 'settings' && finding.ok === true;
  return told ? fail('settings', DISABLED, ENABLE) : finding;
}
