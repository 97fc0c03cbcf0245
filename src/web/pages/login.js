const failures = {
  oauth_failed: 'Signing in with the other service did not work. Nothing was changed; go back and try again.',
};
const reasons = {
  linked_elsewhere: 'That account signs in somebody else here already. Unlink it there first.',
  denied: 'You did not allow it over there. Go back and try again if that was not meant.',
};
const query = new URLSearchParams(location.search);
const error = query.get('error');
if (error !== null) {
  document.getElementById('title').textContent = 'That did not work';
  const message = document.getElementById('message');
  const general = 'Signing in did not work. Go back and try again.';
  message.textContent = reasons[query.get('reason')] ?? failures[error] ?? general;
  message.className = 'bad';
}
