import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { outsideOf, typedPicture } from '../../state/pictures.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { Field, Secret } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { PictureField } from '../parts/PictureField.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { AgentAnswers } from './AgentAnswers.tsx';
import { AgentFeed } from './AgentFeed.tsx';
import { AgentPlaces, AgentWebhook } from './AgentPlaces.tsx';
import { AgentRehearsals } from './AgentRehearsals.tsx';
import { HandOver } from './HandOver.tsx';

export type Agent = RestAnswer<'GET /api/agents'>[number];

/** The user's own bots. */
export function Agents() {
  const texts = useTexts();
  const { t } = texts;
  const { client } = useApp();
  const { value: list, load } = useLoaded(() => client.rest('GET /api/agents'), []);
  const [secret, setSecret] = useState<{ name: string; token: string | null } | null>(null);
  const create = async ({ text }: Fields) => {
    const body = { name: text('name'), displayName: text('displayName') || undefined };
    const { token, displayName } = await client.rest('POST /api/agents', { body });
    setSecret({ name: displayName, token });
    await load();
  };
  return (
    <Form class="block" action={t('New bot')} work={create} clear>
      <h2>{t('Bots')}</h2>
      <p class="faint">{t('Bots with accounts of their own. Their programs sign in with their token.')}</p>
      <ul class="people">
        {list?.map((agent) => (
          <Row
            key={agent.id}
            picture={<Avatar user={agent.botUser} present />}
            href={pathTo.agent(agent.id)}
            name={agent.displayName}
            about={`@${agent.name} · ${lastSign(texts, agent)}`}
          >
            <AgentStatus status={agent.status} />
          </Row>
        ))}
      </ul>
      <Secret title={t('The token of {name}', { name: secret?.name ?? '' })} secret={secret?.token ?? null} />
      <Field
        label={t('Username')}
        name="name"
        minlength={3}
        maxlength={32}
        hint={t('Letters and digits of one script.')}
        required
      />
      <Field label={t('Display name')} name="displayName" maxlength={64} hint={t('Optional.')} />
    </Form>
  );
}

const statusNames: Record<Agent['status'], Message> = { running: 'Running', stopped: 'Stopped', error: 'Error' };

export function AgentStatus({ status }: { status: Agent['status'] }) {
  const { t } = useTexts();
  return <span class={`state ${status}`}>{t(statusNames[status])}</span>;
}

export const lastSign = ({ shortTime, t }: Texts, { lastHeartbeat }: Agent): string =>
  lastHeartbeat ? t('last seen {time}', { time: shortTime(lastHeartbeat) }) : t('never connected');

/** One bot: its state, its token, and its policies. */
export function AgentPage({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const { client, showToast } = useApp();
  const { value: agent, load } = useLoaded(() => client.rest('GET /api/agents/:id', { id: agentId }), [agentId]);
  if (!agent) return <p class="faint">{t('One moment…')}</p>;
  const save = async ({ text }: Fields) => {
    const body = { displayName: text('displayName'), avatarUrl: typedPicture(text('avatarUrl'), agent.avatarUrl) };
    await client.rest('PATCH /api/agents/:id', { id: agentId, body });
    await load();
    showToast(t('The bot is saved.'));
  };
  const setPicture = async (avatarUrl: string | null) => {
    await client.rest('PATCH /api/agents/:id', { id: agentId, body: { avatarUrl } });
    await load();
  };
  return (
    <>
      <p class="crumbs">
        <a href={pathTo.settings('agents')}>{t('Bots')}</a> › {agent.displayName}
      </p>
      <Running agent={agent} onChange={load} />
      <AgentPlaces agent={agent} />
      <Commands agentId={agentId} />
      <AgentWebhook agentId={agentId} />
      <AgentFeed agent={agent} />
      <AgentAnswers agent={agent} />
      <AgentRehearsals agent={agent} />
      <Form class="block" action={t('Save')} work={save}>
        <h2>{t('Profile of the bot')}</h2>
        <Field label={t('Display name')} name="displayName" maxlength={64} value={agent.displayName} required />
        <PictureField label={t('Picture')} shape="square" url={agent.avatarUrl} onChange={setPicture}>
          {[...agent.displayName][0]?.toUpperCase()}
        </PictureField>
        <Field
          key={outsideOf(agent.avatarUrl)}
          label={t('Picture at another address')}
          name="avatarUrl"
          type="url"
          value={outsideOf(agent.avatarUrl)}
        />
      </Form>
      <HandOverAgent agent={agent} />
      <Ending agent={agent} />
    </>
  );
}

function Running({ agent, onChange }: { agent: Agent; onChange(): Promise<void> }) {
  const texts = useTexts();
  const { t } = texts;
  const { attempt, client } = useApp();
  const [secret, setSecret] = useState<string | null>(null);
  const { id } = agent;
  const switchOver = () =>
    attempt(async () => {
      if (agent.status === 'stopped') await client.rest('POST /api/agents/:id/start', { id });
      else await client.rest('POST /api/agents/:id/stop', { id });
      await onChange();
    });
  const rotate = () =>
    attempt(async () => {
      setSecret((await client.rest('POST /api/agents/:id/token', { id })).token);
    });
  const hours = Math.floor(agent.totalOnlineSeconds / 3600);
  return (
    <section class="block">
      <ul class="people">
        <Row
          picture={<Avatar user={agent.botUser} present />}
          name={agent.displayName}
          about={t('@{name} · {lastSign} · {hours} h online in total', {
            name: agent.name,
            lastSign: lastSign(texts, agent),
            hours,
          })}
        >
          <AgentStatus status={agent.status} />
          <Button
            label={agent.status === 'stopped' ? t('Start') : t('Stop')}
            kind="quiet"
            onClick={() => void switchOver()}
          />
          <Button label={t('New token')} kind="quiet" onClick={() => void rotate()} />
        </Row>
      </ul>
      <Secret title={t('The new token; the old one is valid for ten more minutes')} secret={secret} />
    </section>
  );
}

function Commands({ agentId }: { agentId: string }) {
  const { t } = useTexts();
  const { client } = useApp();
  const { value } = useLoaded(() => client.rest('GET /api/agents/:id/slash-commands', { id: agentId }), [agentId]);
  return (
    <Block title={t('Slash commands')} about={t('Set by its program, and suggested to those who type a slash.')}>
      {value?.commands.length === 0 && <p class="empty">{t('It has no commands.')}</p>}
      <ul class="people">
        {value?.commands.map(({ name, description, aliases }) => (
          <Row key={name} name={[name, ...aliases].map((one) => `/${one}`).join(', ')} about={description} />
        ))}
      </ul>
    </Block>
  );
}

/** To a friend. */
function HandOverAgent({ agent }: { agent: Agent }) {
  const { t } = useTexts();
  const { people } = useApp();
  return (
    <HandOver
      title={t('Hand the bot over')}
      about={t(
        'When they accept, its tokens and webhook end, it leaves the places that they are not in, and they can read what was written to it.',
      )}
      what={{ agentId: agent.id }}
      people={people.friends.value.map(({ friendId, user }) => ({
        value: friendId,
        label: `${user.displayName} (@${user.username})`,
      }))}
      nobody={t('You can hand it over to a friend, but you have none yet.')}
    />
  );
}

function Ending({ agent }: { agent: Agent }) {
  const { t } = useTexts();
  const { attempt, client, navigate } = useApp();
  const [asking, setAsking] = useState(false);
  const end = () =>
    attempt(async () => {
      await client.rest('DELETE /api/agents/:id', { id: agent.id });
      navigate(pathTo.settings('agents'));
    });
  return (
    <Block title={t('Delete the bot')} about={t('Its tokens end at once; what it wrote stays.')}>
      <Button label={t('Delete the bot')} kind="danger" onClick={() => setAsking(true)} />
      {asking && (
        <Confirm
          title={t('Delete {displayName}?', { displayName: agent.displayName })}
          text={t('Its tokens end at once. This cannot be undone.')}
          action={t('Delete')}
          onClose={() => setAsking(false)}
          onConfirm={() => void end()}
        />
      )}
    </Block>
  );
}
