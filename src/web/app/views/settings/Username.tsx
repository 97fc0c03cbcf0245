import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp } from '../useApp.ts';

/** Another username for oneself. */
export function Username() {
  const { client, me, setMe, showToast } = useApp();
  const before = me.value?.username;
  const change = async ({ text }: Fields) => {
    const user = await client.rest('PUT /api/auth/username', { body: { username: text('username') } });
    setMe(user);
    showToast(user.username === before ? `You are @${before} already.` : `You are @${user.username} now.`);
  };
  return (
    <Form key={before} class="block" action="Change the username" work={change}>
      <h2>Username</h2>
      <p class="faint">
        Others mention and find you by it, and it signs you in. You can change it twice in 30 days; the old one is kept
        for you as long.
      </p>
      <Field label="Username" name="username" autocomplete="username" maxlength={32} value={before} required />
    </Form>
  );
}
