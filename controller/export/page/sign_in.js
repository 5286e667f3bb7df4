// The sign-in of the shared page: the token becomes a cookie, and the page is asked for again (export/viewers.h).

const NAME = "goodput-token";
document.getElementById("notice").hidden = !document.cookie.includes(NAME + "=");
document.getElementById("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const token = document.getElementById("token").value.trim();
    document.cookie = `${NAME}=${token.replace(/[^\w.~+/=-]/g, "")}; secure; samesite=strict`;
    location.reload();
});
