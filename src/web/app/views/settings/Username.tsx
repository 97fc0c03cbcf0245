import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** Another username for oneself. */
export function Username() {
  const { t } = useTexts();
  const { client, me, setMe, showToast } = useApp();
  const before = me.value?.username;
  const change = async ({ text }: Fields) => {
    const user = await client.rest('PUT /api/auth/username', { body: { username: text('username') } });
    setMe(user);
    showToast(
      user.username === before
        ? t('You are @{before} already.', { before })
        : t('You are @{username} now.', { username: user.username }),
    );
  };
  return (
    <Form key={before} class="block" action={t('Change the username')} work={change}>
      <h2>{t('Username')}</h2>
      <p class="faint">
        {t(
          'People mention and find you by it, and you sign in with it. You can change it twice in 30 days; the old one stays reserved for you for that long.',
        )}
      </p>
      <Field label={t('Username')} name="username" autocomplete="username" maxlength={32} value={before} required />
    </Form>
  );
}
