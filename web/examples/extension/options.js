// options.js - the language that pages are translated into.
const select = document.querySelector('#target');
select.value = (await chrome.storage.local.get('target')).target ?? '';
select.addEventListener('change', () => chrome.storage.local.set({ target: select.value }));
select.disabled = false;
