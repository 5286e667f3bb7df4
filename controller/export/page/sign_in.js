// The sign-in of the shared page: the token becomes a cookie, and the page is asked for again (export/viewers.h).

const NAME = "goodput-token";
const notice = document.getElementById("notice");
notice.hidden = !document.cookie.includes(NAME + "=");
document.getElementById("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const token = document.getElementById("token").value.replace(/[^\w.~+/=-]/g, "");
    const cookie = `${NAME}=${token}`;
    document.cookie = `${cookie}; secure; samesite=strict`;
    if (document.cookie.split("; ").includes(cookie)) return location.reload();
    notice.textContent = "The browser keeps no token of this length: 4,000 characters are possible.";
    notice.hidden = false;
});
