const [form, password, again, send, message] = ['form', 'password', 'again', 'send', 'message'].map((id) =>
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
  const body = JSON.stringify({ token, newPassword: password.value, confirmPassword: again.value });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/api/auth/password-reset/complete', { method: 'POST', headers, body });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (password.value !== again.value) {
    say('The two passwords are not the same.', 'bad');
    return;
  }
  send.disabled = true;
  try {
    await setPassword();
    form.hidden = true;
    say('Your new password is set. You can sign in with it now.', 'good');
  } catch (error) {
    send.disabled = false;
    say(error.message || 'The server cannot be reached just now; try again.', 'bad');
  }
});

if (!token) {
  form.hidden = true;
  say('This link is not complete. Open it once more from your mail, or ask for a new one.', 'bad');
}
