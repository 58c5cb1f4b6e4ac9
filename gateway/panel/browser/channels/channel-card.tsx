/** One channel. */
import { useState } from 'preact/hooks';
import { CopyBlock, CopyLine } from '../base/copy.tsx';
import { now } from '../clock.ts';
import { fullTimeOf, leftOf, phoneOf, whenInSentence } from '../format.ts';
import { channelKeyCurl, inboundCurl } from '../keys/curl.ts';
import { NewKeyDialog } from '../keys/new-key-dialog.tsx';
import { termsInSentence } from '../keys/terms.ts';
import { TEXT } from '../sentences.ts';
import { mayAdminister } from '../session.ts';
import type { PanelChannel } from './api.ts';
import { Bulk } from './bulk.tsx';

const { channels, keys } = TEXT;

export function ChannelCard({ channel }: { readonly channel: PanelChannel }) {
  const { label, provider, phone, enabled, ready, reason, restriction } = channel;
  return (
    <li class="panel-card">
      <div class="row">
        <h2>{label}</h2>
        <span class={ready ? 'tag state-good' : 'tag state-bad'}>
          {ready ? channels.ready : enabled ? channels.notReady : channels.disabled}
        </span>
      </div>
      {reason === null ? null : <p class="state-bad">{reason}</p>}
      {restriction ? (
        <p class="warning">
          {restriction.message}{' '}
          {restriction.until ? channels.until(fullTimeOf(restriction.until)) : ''}
        </p>
      ) : null}
      <dl class="facts">
        <dt>{channels.phone}</dt>
        <dd>{phoneOf(phone)}</dd>
        <dt>{channels.provider}</dt>
        <dd>{channels.providers[provider]}</dd>
        <Backlog channel={channel} />
        <dt>{channels.pace}</dt>
        <dd>{channels.perSecond(channel.pace.perSecond)}</dd>
      </dl>
      <Bulk channel={channel} />
      {mayAdminister() ? <Integration channel={channel} /> : null}
    </li>
  );
}

function Backlog({ channel }: { readonly channel: PanelChannel }) {
  const { queued = 0, more = false, oldestQueuedAt = null } = channel;
  return (
    <>
      <dt>{channels.backlog}</dt>
      <dd>
        {channels.queued(queued, more)}
        {oldestQueuedAt === null
          ? ''
          : `, ${channels.oldest(leftOf(now() - Date.parse(oldestQueuedAt)))}`}
      </dd>
    </>
  );
}

/** Addresses to copy, keys, and a call that works. */
function Integration({ channel }: { readonly channel: PanelChannel }) {
  const { id, label, inboundWebhookUrl, networkWebhookUrl } = channel;
  const [creating, setCreating] = useState(false);
  if (inboundWebhookUrl === undefined) return null;
  return (
    <section class="block" aria-label={channels.integration(label)}>
      <CopyLine label={channels.inboundUrl} text={inboundWebhookUrl} />
      {networkWebhookUrl === undefined ? null : (
        <CopyLine label={channels.networkUrl} text={networkWebhookUrl} />
      )}
      <CopyBlock label={channels.curl} text={inboundCurl(inboundWebhookUrl, keys.placeholder)} />
      <ChannelKeys channel={channel} />
      <div class="row">
        <button type="button" class="button" onClick={() => setCreating(true)}>
          {keys.create}
        </button>
      </div>
      {creating ? (
        <NewKeyDialog
          channels={[[id, label]]}
          ofAccount={false}
          curl={(token, _, access) => channelKeyCurl(inboundWebhookUrl, token, access)}
          onClose={() => setCreating(false)}
        />
      ) : null}
    </section>
  );
}

function ChannelKeys({ channel }: { readonly channel: PanelChannel }) {
  const { label, keys: rows = [] } = channel;
  if (rows.length === 0) return <p class="soft">{channels.noKeys}</p>;
  return (
    <ul class="lines" aria-label={channels.keysOf(label)}>
      {rows.map(({ id, name, prefix, lastUsedAt, ...terms }) => (
        <li key={id}>
          <span class="grow">{name}</span>
          <code>{prefix}…</code>
          <span class="soft small">
            {termsInSentence(terms)} ·{' '}
            {lastUsedAt === null ? keys.neverUsed : keys.lastUsed(whenInSentence(lastUsedAt))}
          </span>
        </li>
      ))}
    </ul>
  );
}
