import { useState } from 'preact/hooks';
import { ParleyError, type RestAnswer } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { Secret } from '../parts/Secret.tsx';
import { fullTime } from '../parts/time.ts';

type Webhook = RestAnswer<'GET /api/agents/:id/webhook'>;

/** The address that a bot's events are delivered to, and how that goes. */
export function AgentWebhook({ agentId }: { agentId: string }) {
  const id = agentId;
  const { value, load } = useLoaded(() => read(id), [id]);
  const [secret, setSecret] = useState<string | null>(null);
  if (!value) return null;
  const { webhook } = value;
  const save = async ({ text }: Fields) => {
    setSecret((await parley.rest('PUT /api/agents/:id/webhook', { id, body: { url: text('url') } })).secret);
    await load();
  };
  const rotate = async () => setSecret((await parley.rest('POST /api/agents/:id/webhook/secret', { id })).secret);
  return (
    <Block title="Webhook" about="Its events are sent to this address, signed, for a bot that holds no connection.">
      {webhook && <Deliveries webhook={webhook} />}
      <Form action={webhook ? 'Change the address' : 'Deliver events'} work={save}>
        <Field label="Address (https)" name="url" type="url" value={webhook?.url ?? ''} required />
      </Form>
      <Secret title="The secret that deliveries are signed with" secret={secret} />
      {webhook && <Care id={id} isPaused={webhook.state === 'paused'} load={load} rotate={rotate} />}
    </Block>
  );
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const { state, lastError, failingSince, stoppedAt, lastDeliveredAt, pending } = webhook;
  const since = stoppedAt ?? failingSince;
  return (
    <>
      <p class={state === 'active' ? 'hint' : 'note problem'} role="status">
        {saying[state]}
        {since && ` Since ${fullTime(since)}.`}
        {since && lastError && ` ${lastError}`}
      </p>
      <p class="hint">
        {lastDeliveredAt ? `Last delivery: ${fullTime(lastDeliveredAt)}.` : 'Nothing was delivered yet.'}
        {pending > 0 && ` ${pending} waiting.`}
      </p>
    </>
  );
}

const saying: Record<Webhook['state'], string> = {
  active: 'Deliveries work.',
  failing: 'Some deliveries fail, and are tried again.',
  dead: 'Given up, since it failed for too long.',
  gone: 'Ended, since the address wants no more.',
  paused: 'Paused until you confirm the address: the token of this bot was renewed, or a session was ended.',
};

interface CareProps {
  id: string;
  isPaused: boolean;
  load(): Promise<void>;
  rotate(): Promise<void>;
}

function Care({ id, isPaused, load, rotate }: CareProps) {
  const doing = (work: () => Promise<unknown>) => () => void attempt(() => work().then(load));
  const test = async () => {
    const { delivered, error } = await parley.rest('POST /api/agents/:id/webhook/test', { id });
    tell(delivered ? 'The test was delivered.' : `The test was not delivered. ${error ?? ''}`);
  };
  const enable = () => parley.rest('POST /api/agents/:id/webhook/enable', { id, body: {} });
  return (
    <div class="inline">
      <Button label="Send a test" kind="quiet" onClick={doing(test)} />
      <Button label={isPaused ? 'Confirm the address' : 'Try again now'} kind="quiet" onClick={doing(enable)} />
      <Button label="New secret" kind="quiet" onClick={doing(rotate)} />
      <Button
        label="End deliveries"
        kind="quiet"
        onClick={doing(() => parley.rest('DELETE /api/agents/:id/webhook', { id }))}
      />
    </div>
  );
}

/** An agent need not have one. */
async function read(id: string): Promise<{ webhook: Webhook | null }> {
  try {
    return { webhook: await parley.rest('GET /api/agents/:id/webhook', { id }) };
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'WEBHOOK_NOT_FOUND') return { webhook: null };
    throw error;
  }
}
