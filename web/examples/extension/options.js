// options.js - the language that pages are translated into.
const select = document.querySelector('#target');
select.value = (await chrome.storage.local.get('target')).target ?? '';
const output = document.querySelector('output');
select.addEventListener('change', async () => {
  output.textContent = '';
  await chrome.storage.local.set({ target: select.value });
  output.textContent = 'Saved.';
});
select.disabled = false;
