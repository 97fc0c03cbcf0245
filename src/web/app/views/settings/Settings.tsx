import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { leave, me, parley, remember } from '../../state/client.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { Field } from '../parts/Field.tsx';
import { useFields } from '../parts/fields.ts';
import { shortTime } from '../parts/time.ts';
import { Agents, InviteCodes, PersonalTokens } from './Keys.tsx';

export function Settings() {
  return (
    <section class="page">
      <header class="bar">
        <a class="icon back" href="/app/friends" aria-label="Back">
          ‹
        </a>
        <h1 class="title">Settings</h1>
      </header>
      <div class="body">
        <Profile />
        <Membership />
        <ChangePassword />
        <InviteCodes />
        <Agents />
        <PersonalTokens />
        <Sessions />
        <button type="button" class="button danger" onClick={() => void leave()}>
          Sign out
        </button>
      </div>
    </section>
  );
}

function Profile() {
  const submit = useFields(async (field) => {
    const body = { displayName: field('displayName'), avatarUrl: field('avatarUrl') || null };
    remember(await parley.rest('PATCH /api/auth/me', { body }));
    tell('Your profile is saved.');
  }, false);
  return (
    <form class="block" onSubmit={submit}>
      <h2>Profile</h2>
      <Field
        label="Display name"
        name="displayName"
        autocomplete="nickname"
        maxlength={64}
        value={me.value?.displayName}
        required
      />
      <Field
        label="Picture (address)"
        name="avatarUrl"
        type="url"
        autocomplete="off"
        value={me.value?.avatarUrl ?? ''}
      />
      <button type="submit" class="button">
        Save
      </button>
    </form>
  );
}

function Membership() {
  const membership = me.value?.membership;
  const submit = useFields(async (field) => {
    const answer = await parley.rest('POST /api/membership/redeem-invite', { body: { code: field('code') } });
    if (me.value) remember({ ...me.value, membership: answer, status: answer.status });
    tell('Welcome! You can do more now.');
  }, true);
  if (!membership) return null;
  return (
    <form class="block" onSubmit={submit}>
      <h2>Membership: {membership.tier.label}</h2>
      {membership.isMember ? (
        <p class="faint">You may create servers and invite others.</p>
      ) : (
        <>
          <p class="faint">Redeem an invite code to create servers and to invite others.</p>
          <Field label="Invite code" name="code" autocomplete="off" maxlength={64} required />
          <button type="submit" class="button">
            Redeem
          </button>
        </>
      )}
    </form>
  );
}

function ChangePassword() {
  const submit = useFields(async (field) => {
    const body = { oldPassword: field('oldPassword'), newPassword: field('newPassword') };
    await parley.rest('PUT /api/auth/password', { body });
    tell('Your password is changed; all other sessions were ended.');
  }, true);
  return (
    <form class="block" onSubmit={submit}>
      <h2>Password</h2>
      <Field label="Old password" name="oldPassword" type="password" autocomplete="current-password" required />
      <Field
        label="New password"
        name="newPassword"
        type="password"
        autocomplete="new-password"
        minlength={8}
        maxlength={128}
        required
      />
      <button type="submit" class="button">
        Change
      </button>
    </form>
  );
}

type SessionRecord = RestAnswer<'GET /api/auth/sessions'>[number];

function Sessions() {
  const [list, setList] = useState<SessionRecord[]>([]);
  const load = async () => setList(await parley.rest('GET /api/auth/sessions'));
  useEffect(() => {
    void attempt(load);
  }, []);
  const end = (id: string) =>
    attempt(async () => {
      await parley.rest('DELETE /api/auth/sessions/:id', { id });
      await load();
    });
  return (
    <div class="block">
      <h2>Where you are signed in</h2>
      <ul class="people">
        {list.map((session) => (
          <li key={session.id}>
            <span class="who">
              <span class="name">{session.deviceName ?? session.userAgent ?? 'Unknown device'}</span>
              <span class="faint">{session.current ? 'This one' : shortTime(session.lastSeenAt)}</span>
            </span>
            {!session.current && (
              <button type="button" class="button quiet" onClick={() => void end(session.id)}>
                End
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
