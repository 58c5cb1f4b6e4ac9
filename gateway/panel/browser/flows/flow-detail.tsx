/** One flow: graph or text, enabled or not, and the traces of its runs. */

import { useState } from 'preact/hooks';
import { isolated } from '../base/isolated.tsx';
import { ProblemAlert } from '../base/problem-alert.tsx';
import { useChange } from '../base/use-change.ts';
import { fullTimeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { mayAdminister } from '../session.ts';
import { flowPath, type PanelFlow } from './api.ts';
import { FlowEditor } from './flow-editor.tsx';
import { FlowGraph } from './flow-graph.tsx';
import { RunTrace } from './run-trace.tsx';

const { flows } = TEXT;

export function FlowDetail({ flow }: { readonly flow: PanelFlow }) {
  const { id, name, enabled, isMain, channel, updatedAt } = flow;
  const [editing, setEditing] = useState(false);
  const [current, setCurrent] = useState<string | null>(null);
  const { busy, refused, make } = useChange('organization');
  return (
    <div class="flow-detail">
      <header class="row">
        <h2 class="grow">{name}</h2>
        {mayAdminister() ? (
          <>
            <button
              type="button"
              class="button"
              aria-disabled={busy}
              onClick={() => void make(flowPath(id), { body: { enabled: !enabled } })}
            >
              {enabled ? flows.disable : flows.enable}
            </button>
            {editing ? null : (
              <button type="button" class="button" onClick={() => setEditing(true)}>
                {flows.edit}
              </button>
            )}
          </>
        ) : null}
      </header>
      <p class="soft small">
        {[
          enabled ? flows.enabled : flows.disabled,
          ...(isMain ? [flows.main] : []),
          channel ? flows.ofChannel(isolated(channel.label)) : flows.ofEveryChannel,
          flows.updated(fullTimeOf(updatedAt)),
        ].join(' · ')}
      </p>
      <ProblemAlert refused={refused} />
      {editing ? (
        <FlowEditor id={id} onClose={() => setEditing(false)} />
      ) : (
        <FlowGraph flow={flow} current={current} />
      )}
      <RunTrace flow={flow} onCurrent={setCurrent} />
    </div>
  );
}
