const [form, password, again, end, send, message] = ['form', 'password', 'again', 'end', 'send', 'message'].map((id) =>
  document.getElementById(id),
);
const token = new URLSearchParams(location.search).get('token') ?? '';
// The link is a secret: it is not to stay in the address, nor in the history.
history.replaceState(null, '', location.pathname);

function say(text, kind) {
  message.textContent = text;
  message.className = kind;
  message.hidden = false;
}

async function setPassword() {
  const body = JSON.stringify({
    token,
    newPassword: password.value,
    confirmPassword: again.value,
    endTokens: end.checked,
  });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/api/auth/password-reset/complete', { method: 'POST', headers, body });
  const answer = await response.json();
  if (!response.ok) throw new Error(errors[answer.code] ?? answer.error);
  const { passkeys, ...others } = answer.remaining;
  const isMore = Object.values(others).some((count) => count > 0);
  const more = isMore ? ` ${t('Your tokens, linked accounts and webhooks still work.')}` : '';
  return passkeys > 0 ? `${more} ${t('Your passkeys still sign you in.')}` : more;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (password.value !== again.value) {
    say(t('The two passwords are not the same.'), 'bad');
    return;
  }
  send.disabled = true;
  try {
    const more = await setPassword();
    form.hidden = true;
    say(t('Your new password is set. You can sign in with it now.') + more, 'good');
  } catch (error) {
    send.disabled = false;
    say(error instanceof TypeError ? t('The server cannot be reached. Try again.') : error.message, 'bad');
  }
});

if (!token) {
  form.hidden = true;
  say(t('This link is not complete. Open it once more from your mail, or ask for a new one.'), 'bad');
}
