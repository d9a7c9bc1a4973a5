// Lists the topics of the user, with a checkbox each, and stores each change at once.

const topics = document.getElementById('topics');
const status = document.getElementById('status');
let session;

/** Calls Tidings with the user's token; a new one is issued when it has expired. */
async function call(method, path, body) {
  for (let isRetry = false; ; isRetry = true) {
    session ??= await (await fetch('/session')).json();
    const response = await fetch(`${session.url}/users/${encodeURIComponent(session.user)}/preferences${path}`, {
      method,
      headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    if (response.status !== 401 || isRetry) throw new Error(answer.message);
    session = undefined;
  }
}

function checkboxOf({ topic_id: id, topic_name: name, status: choice }) {
  const input = Object.assign(document.createElement('input'), {
    type: 'checkbox',
    checked: choice !== 'OPTED_OUT',
    disabled: choice === 'REQUIRED', // sent to everyone
  });
  input.addEventListener('change', async () => {
    input.disabled = true;
    try {
      await call('PUT', `/${id}`, { topic: { status: input.checked ? 'OPTED_IN' : 'OPTED_OUT' } });
      status.textContent = `${name}: stored`;
    } catch (error) {
      input.checked = !input.checked;
      status.textContent = `${name}: not stored. ${error.message}`;
    }
    input.disabled = false;
  });
  const label = document.createElement('label');
  label.append(input, ` ${name}`);
  const line = document.createElement('p');
  line.append(label);
  return line;
}

try {
  const { items } = await call('GET', '');
  for (const section of new Set(items.map((item) => item.section_name))) {
    const heading = Object.assign(document.createElement('h2'), { textContent: section });
    topics.append(heading, ...items.filter((item) => item.section_name === section).map(checkboxOf));
  }
  if (items.length === 0) status.textContent = 'There are no topics yet.';
} catch (error) {
  status.textContent = `Your preferences cannot be shown now. ${error.message}`;
}
